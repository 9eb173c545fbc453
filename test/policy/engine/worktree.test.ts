import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { engineOf } from "../../../src/policy/engine/engine.ts";
import type { PermissionMode, Rule } from "../../../src/settings/permissions.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const rule = (behaviour: Rule["behaviour"], text: string): Rule => ({ text, behaviour, scope: "project" });

/** A checkout with a worktree in it, and the engine of an actor in that worktree. */
function inTree(rules: readonly Rule[] | ((checkout: string) => readonly Rule[]) = []) {
  const folder = temporaryFolder();
  const checkout = join(folder, "repo");
  const tree = join(checkout, ".claude", "worktrees", "agent-1");
  for (const name of ["src", "secrets", ".claude", ".git"]) mkdirSync(join(tree, name), { recursive: true });
  mkdirSync(join(checkout, "src"), { recursive: true });
  const outside = join(folder, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "key"), "x");
  symlinkSync(outside, join(checkout, "vault"));
  const engine = engineOf(typeof rules === "function" ? rules(checkout) : rules, {
    ...{ projectRoot: tree, home: join(folder, "home"), platform: "linux" },
    twin: { tree, checkout },
  });
  const judge = (mode: PermissionMode, tool: string, input: object) =>
    engine.judge(mode, tree, tool, input).decision;
  return { folder, checkout, tree, outside, engine, judge };
}

test("a project's rules hold in the tree as in the checkout, and acceptEdits there and not in the checkout (C11)", () => {
  const { tree, checkout, judge } = inTree([rule("allow", "Edit(/src/**)")]);
  expect(judge("default", "Edit", { file_path: join(tree, "src/a.ts") })).toBe("allow");
  expect(judge("default", "Edit", { file_path: join(checkout, "src/a.ts") })).toBe("ask");
  expect(judge("acceptEdits", "Write", { file_path: join(tree, "b.ts") })).toBe("allow");
  expect(judge("acceptEdits", "Write", { file_path: join(checkout, "b.ts") })).toBe("ask");
});

test("the user's settings directory is protected by its real path, too", () => {
  const folder = temporaryFolder();
  const configDir = join(folder, "link");
  mkdirSync(join(folder, "repo/conf"), { recursive: true });
  symlinkSync(join(folder, "repo/conf"), configDir);
  const projectRoot = join(folder, "repo");
  const engine = engineOf([], { projectRoot, home: join(folder, "home"), platform: "linux", configDir });
  for (const file of [join(configDir, "settings.json"), "conf/settings.json"]) {
    const judged = engine.judge("acceptEdits", projectRoot, "Write", { file_path: file, content: "" });
    expect(judged.decision).toBe("ask");
  }
});

test.each(["Read(./.env)", "Read(.env)", "Read(/.env)"])(
  "what %s denies is denied in the tree and in the checkout",
  (text) => {
    const { tree, checkout, judge } = inTree([rule("deny", text)]);
    for (const file of [join(tree, ".env"), join(checkout, ".env")]) {
      expect(judge("bypassPermissions", "Read", { file_path: file })).toBe("deny");
      expect(judge("bypassPermissions", "Bash", { command: `cat ${file}` })).toBe("deny");
    }
    expect(judge("bypassPermissions", "Bash", { command: "cat .env" })).toBe("deny");
    expect(judge("acceptEdits", "Bash", { command: "cat .en*" })).not.toBe("allow");
  },
);

test.each([
  ["by an absolute path", (checkout: string) => `Edit(/${checkout}/secrets/**)`],
  ["by a path from the project", () => "Edit(/secrets/**)"],
])("what a rule denies %s in the checkout is denied in the tree", (_how, text) => {
  const { judge, tree, checkout, engine } = inTree((at) => [rule("deny", text(at))]);
  for (const file of [join(tree, "secrets/key"), join(checkout, "secrets/key")])
    expect(judge("bypassPermissions", "Write", { file_path: file, content: "" })).toBe("deny");
  expect(judge("bypassPermissions", "Bash", { command: "echo x > secrets/key" })).toBe("deny");
  const other = { file_path: join(tree, "src/key"), content: "" };
  expect(judge("bypassPermissions", "Write", other)).toBe("allow");
  expect(engine.problems).toEqual([]);
});

test("a search in the tree does not find what is denied in the checkout", () => {
  const { tree, checkout, engine } = inTree([rule("deny", "Read(/secrets/**)")]);
  const hides = engine.hides(join(tree, "src"));
  expect(hides(join(tree, "secrets/key"))).toBe(true);
  expect(hides(join(checkout, "secrets/key"))).toBe(true);
  expect(hides(join(tree, "src/a.ts"))).toBe(false);
});

test("an allow rule for a path in the checkout allows nothing in the tree", () => {
  const { tree, checkout, judge } = inTree((at) => [rule("allow", `Edit(/${at}/src/**)`)]);
  expect(judge("default", "Edit", { file_path: join(checkout, "src/a.ts") })).toBe("allow");
  expect(judge("default", "Edit", { file_path: join(tree, "src/a.ts") })).toBe("ask");
});

test("a denied folder that is a link in the checkout only is denied where it leads", () => {
  const { outside, judge } = inTree([rule("deny", "Read(/vault/**)")]);
  expect(judge("bypassPermissions", "Read", { file_path: join(outside, "key") })).toBe("deny");
});

test.each([
  ".git",
  ".git/config",
  ".claude/settings.json",
  ".husky/pre-commit",
  ".mcp.json",
  "packages/a/.vscode/tasks.json",
])("%s of a tree is protected as in a checkout, the tree itself is not (4.4)", (name) => {
  const { tree, judge } = inTree([rule("allow", "Edit")]);
  expect(judge("acceptEdits", "Write", { file_path: join(tree, name), content: "" })).toBe("ask");
  expect(judge("acceptEdits", "Write", { file_path: join(tree, "a.ts"), content: "" })).toBe("allow");
});

test("so it is where the directory of settings has another name", () => {
  const folder = temporaryFolder();
  const tree = join(folder, "repo", ".agents", "worktrees", "one");
  const engine = engineOf([], {
    ...{ projectRoot: tree, home: join(folder, "home"), platform: "linux", configDir: ".agents" },
  });
  const decision = (file: string) => engine.judge("acceptEdits", tree, "Write", { file_path: file }).decision;
  expect(decision(join(tree, "a.ts"))).toBe("allow");
  expect(decision(join(tree, ".agents", "settings.json"))).toBe("ask");
});

test("a program of the checkout is a question in the tree, too: edits are merged into it", () => {
  const { checkout, tree } = inTree();
  const bin = join(checkout, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "ls"), "#!/bin/sh\n", { mode: 0o755 });
  const engine = engineOf([], {
    ...{ projectRoot: tree, home: "/home/user", platform: "linux", path: `${bin}:/usr/bin:/bin` },
    ...{ readable: [checkout], twin: { tree, checkout } },
  });
  const judge = (command: string) => engine.judge("default", tree, "Bash", { command }).decision;
  expect([judge("ls src"), judge("cat src/a")]).toEqual(["ask", "allow"]);
});
