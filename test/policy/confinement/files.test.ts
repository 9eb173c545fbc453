// @module-tag long
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { enclosed } from "./enclosed.ts";

test("a write to the main checkout is refused, and the sentence names the right path (C11)", async () => {
  const { checkout, path, writing } = await enclosed();
  for (const name of ["src/a.ts", "src/new.ts", "dist/out.js", "."])
    expect(writing(join(checkout, name))).toBe(
      `${join(checkout, name)} belongs to the main checkout. You work in a worktree of your own: write ${join(path, name)}; your edits are merged when you end.`,
    );
  expect(writing(join(path, "src/a.ts"))).toBeNull();
  expect(writing(join(path, "new/deep/file.ts"))).toBeNull();
});

test("so is one to another agent's tree, to another work tree, and to what git keeps", async () => {
  const { checkout, path, other, beside, writing } = await enclosed();
  expect(writing(join(other, "src/a.ts"))).toContain(
    `another agent's worktree. You work in a worktree of your own: write ${join(path, "src/a.ts")}`,
  );
  expect(writing(join(beside, "src/a.ts"))).toContain(join(path, "src/a.ts"));
  expect(writing(join(checkout, ".claude/settings.json"))).toContain("belongs to the main checkout");
  expect(writing(join(checkout, ".claude/worktrees/.gitignore"))).not.toBeNull();
  for (const name of [
    ".git/config",
    ".git/hooks/pre-commit",
    ".git/worktrees/agent-1/HEAD",
    ".git/refs/heads/x",
  ])
    expect(writing(join(checkout, name))).toContain("git's own");
  expect(writing(join(path, ".git"))).toContain("git's own");
});

test("links do not lead out: what is written is where the link leads", async () => {
  const { checkout, path, writing, home } = await enclosed();
  expect(writing(join(path, "out-link"))).toContain(`is a link to ${join(checkout, "README.md")}`);
  expect(writing(join(path, "node_modules/dep/index.js"))).toContain("is a link to");
  symlinkSync(checkout, join(home, "by-another-name"));
  expect(writing(join(home, "by-another-name", "src/a.ts"))).toContain(join(path, "src/a.ts"));
});

test("a name that only begins like the checkout's or the tree's is another one", async () => {
  const { checkout, path, writing } = await enclosed();
  expect(writing(`${checkout}sitory/a.ts`)).toBeNull();
  expect(writing(`${path}0/a.ts`)).toContain("another agent's worktree");
});

test("a file that the tree has too is not read in the checkout, where it may be old or new; what only the checkout has is", async () => {
  const { checkout, path, other, reading, home } = await enclosed();
  expect(reading(join(checkout, "src/a.ts"))).toContain(`read ${join(path, "src/a.ts")}`);
  expect(reading(checkout)).toContain(`read ${path}`);
  expect(reading(join(other, "src/a.ts"))).toContain("another agent's worktree");
  for (const name of [".claude", ".claude/worktrees"])
    expect(reading(join(checkout, name))).toContain("holds the worktrees of other agents");
  // Rules decide about these.
  for (const name of [".env", "dist/out.js", "node_modules/dep/index.js", ".git/HEAD"])
    expect(reading(join(checkout, name))).toBeNull();
  expect(reading(join(path, "node_modules/dep/index.js"))).toBeNull();
  expect(reading(join(home, "elsewhere.txt"))).toBeNull();
});

test("a folder whose name has signs of a pattern in it is meant as it is written", async () => {
  const { checkout, path, repository, reading } = await enclosed();
  repository.write({ "app/[id]/page.tsx": "x" });
  expect(reading(join(checkout, "app/[id]/page.tsx"))).toBeNull();
  expect(reading(join(path, "app/[id]/page.tsx"))).toBeNull();
});

test("a tool that is not ours is refused absolute paths into the checkout, wherever in its input they stand", async () => {
  const { checkout, path, held, tree } = await enclosed();
  const given = (unknownInput: unknown) =>
    held.refuses({ command: null, accesses: [], unknownInput, cwd: path }, tree);
  for (const input of [
    { path: join(checkout, "src/a.ts"), content: "x" },
    { edits: [{ file: `file://${checkout}/src/new.ts` }] },
    join(checkout, "README.md"),
  ])
    expect(given(input)).toContain(`use ${path}/`);
  const circle: Record<string, unknown> = {};
  circle["circle"] = circle;
  for (const input of [
    { path: join(path, "src/a.ts") },
    { path: join(checkout, "dist/out.js") },
    { note: `see ${checkout}/src/a.ts`, url: "https://example.org/src/a.ts" },
    ...[null, 7, undefined, [], circle],
  ])
    expect(given(input)).toBeNull();
});
