// @module-tag long
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openGate, openPermissions, openRules, toolSwitch } from "../../../src/features/gate/permissions.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { callId, MAIN } from "../../../src/mailbox/ids.ts";
import { AddedDirs, type WriteScope, writeScope } from "../../../src/policy/confinement/write-scope.ts";
import { hookRunner } from "../../../src/policy/hooks/hook-runner.ts";
import { defaultSandboxSettings } from "../../../src/policy/sandbox/sandbox.ts";
import type { UserHandler } from "../../../src/policy/user-requests.ts";
import type { PermissionMode, Rule } from "../../../src/settings/permissions.ts";
import { noSession, sessionTools } from "../../../src/tools/session-tools.ts";
import { Toolbox } from "../../../src/tools/toolbox.ts";
import { enclosed } from "../../policy/confinement/enclosed.ts";

const MODES: readonly PermissionMode[] = ["default", "acceptEdits", "bypassPermissions", "plan", "dontAsk"];
const rule = (behaviour: Rule["behaviour"], text: string): Rule => ({ text, behaviour, scope: "project" });

/** A session's gate in the main checkout, asked by an actor in a tree of it. */
async function gated(
  given: {
    readonly mode?: PermissionMode;
    readonly rules?: readonly Rule[];
    readonly hookAllows?: boolean;
    readonly person?: UserHandler;
  } = {},
) {
  const place = await enclosed();
  const { checkout, tree } = place;
  const actors = {
    ...{ find: () => undefined, all: () => [], stop() {}, tell() {}, changed() {} },
    whileWaiting: <T>(_: unknown, other: Promise<T>) => other,
  };
  const runner = hookRunner({
    ...{
      hooks: new Map(),
      clock: systemClock,
      onProblem() {},
      onMessage() {},
      onLater() {},
      models: async () => null,
    },
    run: () => Promise.reject(new Error("no hook runs here")),
    session: { id: "s", transcriptPath: "/", projectDir: checkout, dir: "/nonexistent" },
  });
  const hooks = given.hookAllows
    ? { ...runner, preToolUse: async () => ({ type: "go", decision: "allow" }) as const }
    : runner;
  const options = { rules: given.rules ?? [], permissionMode: given.mode ?? ("default" as const) };
  const common = { options, rules: openRules(options, [checkout]), hooks, onWarning() {} };
  const toolbox = new Toolbox(toolSwitch(common.rules, given.person !== undefined));
  toolbox.fill({ ours: sessionTools(noSession), custom: [] });
  const { gate } = openGate({
    ...{ ...common, toolbox, cwd: checkout, added: new AddedDirs([]), readable: [], shell: "bash" },
    permissions: openPermissions({ ...common, actors, user: given.person ?? null, cwd: checkout }),
    planFile: () => "/plans/plan-1.md",
    sandbox: { settings: defaultSandboxSettings, report: async () => null, prepare: async () => null },
    tracked: { clock: systemClock, worktrees: { everTracked: () => Promise.reject(new Error("not asked")) } },
  });
  let calls = 0;
  const isolation = { ...tree, name: "agent-1", head: null, merge: "apply" as const };
  const scope = writeScope(
    { root: tree.path, spec: { additionalDirs: [], isolation } },
    null,
    new AddedDirs([]),
  );
  const judge = (name: string, input: unknown, where: WriteScope = scope) => {
    const tool = toolbox.find(name);
    if (!tool) throw new Error(`no tool ${name}`);
    calls += 1;
    const call = { id: callId(MAIN, calls, 0), toolUse: "t", tool: name, input };
    return gate.judge(
      { actor: MAIN, call, tool, cwd: where.root, scope: where },
      new AbortController().signal,
    );
  };
  const recheck = (tool: string, input: unknown) => gate.recheck({ tool, input, cwd: scope.root, scope });
  return { ...place, judge, recheck, gate, scope };
}

const write = (file: string) => ({ file_path: file, content: "x" });

test.each(MODES)(
  "no mode lets an actor in a tree write to the main checkout: %s (C11)",
  { tags: ["long"] },
  async (mode) => {
    const { judge, recheck, checkout, path } = await gated({
      mode,
      rules: [rule("allow", "Write"), rule("allow", "Bash")],
    });
    const file = join(checkout, "src/a.ts");
    for (const [tool, input] of [
      ["Write", write(file)],
      ["Bash", { command: `echo x > ${file}` }],
      ["Bash", { command: "git stash" }],
    ] as const) {
      const judged = await judge(tool, input);
      expect(judged).toMatchObject({
        type: "refuse",
        by: "rules",
        reason: expect.stringContaining("worktree"),
      });
      expect(recheck(tool, input)).toMatchObject({ type: "deny" });
    }
    expect(await judge("Write", write(file))).toMatchObject({
      reason: expect.stringContaining(`write ${join(path, "src/a.ts")}`),
    });
  },
);

test("is not allowed by a hook or by the user's changed input", { tags: ["long"] }, async () => {
  const hooked = await gated({ hookAllows: true });
  expect(await hooked.judge("Write", write(join(hooked.checkout, "x")))).toMatchObject({ type: "refuse" });
  let file = "";
  const person: UserHandler = {
    ask: async () => ({ type: "allow", span: "once", input: write(file) }),
  };
  const asked = await gated({ person });
  file = join(asked.checkout, "x");
  expect(await asked.judge("Write", write(join(asked.path, "x")))).toMatchObject({
    type: "refuse",
    reason: expect.stringContaining("main checkout"),
  });
});

test("makes the worktree its actor's workspace, and the checkout all others', in one session (C11)", async () => {
  const { judge, checkout, path } = await gated({
    mode: "acceptEdits",
    rules: [rule("deny", "Edit(/secrets/**)")],
  });
  const ordinary: WriteScope = { root: checkout, additionalDirs: [], tree: null };
  expect(await judge("Write", write(join(path, "src/new.ts")))).toMatchObject({ type: "go" });
  expect(await judge("Write", write(join(path, "secrets/key")))).toMatchObject({ type: "refuse" });
  expect(await judge("Write", write(join(checkout, "src/new.ts")), ordinary)).toMatchObject({ type: "go" });
  expect(await judge("Bash", { command: "rm src/a.ts" })).toMatchObject({ type: "go" });
  // What git does not know is read in the checkout, and in the tree through a link.
  for (const file of [join(checkout, ".env"), join(path, "node_modules/dep/index.js")])
    expect(await judge("Read", { file_path: file })).toMatchObject({ type: "go" });
  expect(await judge("Read", { file_path: join(checkout, "src/a.ts") })).toMatchObject({ type: "refuse" });
});

test("applies a project's allow rule in the worktree: Edit(/src/**)", async () => {
  const { judge, path } = await gated({ rules: [rule("allow", "Edit(/src/**)")], mode: "dontAsk" });
  expect(await judge("Write", write(join(path, "src/new.ts")))).toMatchObject({ type: "go" });
  expect(await judge("Write", write(join(path, "docs/new.md")))).toMatchObject({ type: "refuse" });
});

test("hides from a search in a worktree what rules of the checkout hide", async () => {
  const { gate, scope, path } = await gated({ rules: [rule("deny", "Read(/secrets/**)")] });
  const paths = [join(path, "secrets/key"), join(path, "src/a.ts")];
  expect(gate.filterResults(paths, { cwd: scope.root, scope })).toEqual([paths[0]]);
});

test("maps additional directories in the checkout to the worktree; others are not writable", async () => {
  const { judge, checkout, path, home, tree } = await gated({ mode: "acceptEdits" });
  mkdirSync(join(home, "library"));
  const spec = { additionalDirs: [join(checkout, "src"), join(home, "library")] };
  const scope = writeScope({ root: path, spec }, { ...tree }, new AddedDirs([]));
  expect(scope.additionalDirs).toEqual([join(path, "src"), join(home, "library")]);
  expect(await judge("Read", { file_path: join(home, "library", "x") }, scope)).toMatchObject({
    type: "go",
  });
  expect(await judge("Write", write(join(home, "library", "x")), scope)).toMatchObject({
    type: "refuse",
  });
});

test("does not confine an actor without a worktree, or one that has exited it", async () => {
  const { path, checkout, tree } = await enclosed();
  const isolation = { ...tree, name: "agent-1", head: null, merge: "apply" as const };
  const of = (root: string) =>
    writeScope({ root, spec: { additionalDirs: [], isolation } }, null, new AddedDirs([])).tree;
  expect(of(join(path, "src"))).toEqual(tree);
  expect(of(checkout)).toBeNull();
  expect(
    writeScope({ root: checkout, spec: { additionalDirs: [] } }, null, new AddedDirs([])).tree,
  ).toBeNull();
});

test("however a path into the checkout is spelt, no write to it is allowed, and none into the tree is confined", {
  tags: ["long"],
}, async () => {
  const { judge, checkout, path } = await gated({ mode: "bypassPermissions" });
  const names = fc.array(fc.constantFrom("src", "a.ts", "..", ".", "", "deep", "node_modules", ".claude"), {
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(fc.boolean(), names, async (inTree, parts) => {
      const file = `${inTree ? path : checkout}/${parts.join("/")}/x`;
      const lands = join(file);
      const link = join(path, "node_modules");
      const own = (lands === path || lands.startsWith(`${path}/`)) && !lands.startsWith(`${link}/`);
      const outside = !lands.startsWith(`${checkout}/`);
      const judged = await judge("Write", write(file));
      // `..` after a link leads elsewhere than by its name, which is refused too.
      if (own && !parts.includes("node_modules")) expect([file, judged.type]).toEqual([file, "go"]);
      if (!own && !outside) expect([file, judged.type]).toEqual([file, "refuse"]);
    }),
    { seed: 6, numRuns: 300 },
  );
});
