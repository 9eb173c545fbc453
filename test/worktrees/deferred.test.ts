// @module-tag long
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Worktree } from "../../src/mailbox/worktree.ts";
import type { GitEnvironment } from "../../src/worktrees/environment.ts";
import type { GitRequest } from "../../src/worktrees/protocol.ts";
import { repositoryWith, type TestRepository } from "../support/git-repository.ts";
import { creationIn, groundOf, OWNER } from "../support/worktree-ground.ts";
import { type How, killedProgram, orphansAreGone } from "./killing-git.ts";
import {
  applyMerge,
  changedLinesOf,
  claimTree,
  createTree,
  diffTree,
  exportTree,
  keepTree,
  listTrees,
  makeTree,
  mergeNamedTree,
  prepareMerge,
  removeNamedTree,
  removeTree,
  restoreTree,
  sweep,
} from "./operations.ts";
import { filesBelow, travelWorld } from "./travel/travel-world.ts";
import { DEAD } from "./tree-of-tests.ts";

const FILES = { "a.txt": "1\n", "b/c.txt": "c\n" };
const MOST = 40;

/** A checkout with what is not committed, too. */
async function checkout(): Promise<TestRepository> {
  const repository = await repositoryWith({ ...FILES, ".gitignore": "ignored\nmodules/\n" });
  repository.write({ "a.txt": "2\n", "untracked.txt": "u\n", ignored: "i\n", "modules/m.js": "m\n" });
  return repository;
}

async function deferredIn(
  { folder }: TestRepository,
  ground: GitEnvironment,
  changed: Partial<GitRequest<"create">> = {},
): Promise<Worktree> {
  const made = await createTree(creationIn(folder, { travels: true, deferred: true, ...changed }), ground);
  if (made.type !== "created") throw new Error(made.reason);
  return made.tree;
}

/** What is left of worktrees in a repository. */
async function leftIn(repository: TestRepository): Promise<readonly string[]> {
  const refs = (await repository.must(["for-each-ref", "--format=%(refname)"])).split("\n");
  const trees = (await repository.must(["worktree", "list", "--porcelain"])).split("\n");
  return [
    ...refs.filter((ref) => ref !== "" && ref !== "refs/heads/main"),
    ...trees.filter((line) => line.startsWith("worktree ") && line !== `worktree ${repository.folder}`),
    ...[".git/troupe/trees/one", ".claude"].filter((path) => existsSync(join(repository.folder, path))),
  ];
}

test("an agent without edits never has a worktree here, and nothing is left of it", async () => {
  const repository = await checkout();
  const ground = groundOf(repository);
  const { folder } = repository;
  const tree = await deferredIn(repository, ground);
  expect(existsSync(tree.path)).toBe(false);
  expect(await repository.must(["show", "refs/troupe/bases/one:a.txt"])).toBe("2\n");
  expect(await repository.must(["show", `${tree.base}:untracked.txt`])).toBe("u\n");
  const listed = { path: null, branch: null, alive: true, deferred: true, base: tree.base, result: null };
  expect(await listTrees({ folder }, ground)).toMatchObject({ trees: [listed] });
  expect(await diffTree({ folder, name: "one" }, ground)).toMatchObject({ text: "" });
  const blob = (await repository.must(["rev-parse", `${tree.base}:a.txt`])).trim();
  expect(await changedLinesOf({ tree, path: "a.txt" }, ground)).toEqual({ type: "lines", blob, hunks: [] });
  const source = { type: "tree", tree } as const;
  const into = join(folder, "..", "out");
  expect(await exportTree({ source, have: [], into }, ground)).toMatchObject({ commit: tree.base });
  expect(await prepareMerge({ tree, deleted: [], forCheck: true }, ground)).toMatchObject({ type: "empty" });
  expect(await keepTree({ tree, message: "Kept" }, ground)).toEqual({ type: "empty" });
  expect(existsSync(tree.path)).toBe(false);
  expect(await removeTree({ tree }, ground)).toEqual({ type: "done" });
  expect(await leftIn(repository)).toEqual([]);
});

test("its first edits make it on the base that was taken at its creation, and are merged", async () => {
  const repository = await checkout();
  const world = travelWorld(repository);
  const tree = await deferredIn(repository, world.ground);
  repository.write({ "b/c.txt": "the user's\n", "later.txt": "later\n" });
  const sent = await world.sendOut({ type: "tree", tree });
  expect(await world.bringBack(tree, sent.commit)).toBeNull();
  expect(existsSync(tree.path)).toBe(false);
  writeFileSync(join(world.remote("one"), "a.txt"), "3\n");
  const back = await world.bringBack(tree, sent.commit);
  expect(back?.changed).toEqual([{ path: "a.txt", change: "modified" }]);
  expect(filesBelow(tree.path)).toEqual(filesBelow(world.remote("one")));
  expect(filesBelow(tree.path)).toMatchObject({ "b/c.txt": "- c\n", "untracked.txt": "- u\n" });
  const { folder } = repository;
  expect(await listTrees({ folder }, world.ground)).toMatchObject({ trees: [{ path: tree.path }] });
  expect(await prepareMerge({ tree, deleted: [], forCheck: false }, world.ground)).toMatchObject({
    type: "clean",
    paths: ["a.txt"],
  });
  const merge = { tree, expects: null, hold: [], commit: null, owner: OWNER, title: "Edits" };
  expect(await applyMerge(merge, world.ground)).toMatchObject({ type: "merged" });
  expect(filesBelow(folder)).toMatchObject({ "a.txt": "- 3\n", "b/c.txt": "- the user's\n" });
  expect(await removeTree({ tree }, world.ground)).toEqual({ type: "done" });
});

test("it is made once, with its dependencies, however many need it", async () => {
  const repository = await checkout();
  const ground = groundOf(repository);
  const dependencies = [{ folder: "modules", how: "link" as const }];
  const tree = await deferredIn(repository, ground, { dependencies });
  await Promise.all([1, 2, 3].map(() => makeTree({ tree }, ground)));
  expect(readFileSync(join(tree.path, "modules/m.js"), "utf8")).toBe("m\n");
  expect(filesBelow(tree.path)).toMatchObject({ "a.txt": "- 2\n", "untracked.txt": "- u\n" });
  writeFileSync(join(tree.path, "a.txt"), "3\n");
  expect(await makeTree({ tree }, ground)).toEqual({ type: "done", notes: [] });
  expect(readFileSync(join(tree.path, "a.txt"), "utf8")).toBe("3\n");
  expect(await keepTree({ tree, message: "Kept" }, ground)).toMatchObject({ type: "kept", files: 1 });
});

test("a check of work without edits has its files", async () => {
  const repository = await checkout();
  const ground = groundOf(repository);
  const tree = await deferredIn(repository, ground);
  const asked = { tree, deleted: [], forCheck: true, emptyToo: true };
  expect(await prepareMerge(asked, ground)).toMatchObject({ type: "empty" });
  expect(readFileSync(join(tree.path, "a.txt"), "utf8")).toBe("2\n");
});

test("within the worktree of another agent it is made immediately", async () => {
  const repository = await checkout();
  const ground = groundOf(repository);
  const outer = await deferredIn(repository, ground);
  await makeTree({ tree: outer }, ground);
  const inner = await deferredIn({ ...repository, folder: outer.path }, ground, { name: "two" });
  expect(existsSync(inner.path)).toBe(true);
  expect(await removeTree({ tree: outer }, ground)).toMatchObject({ type: "refused" });
});

test("a resumed agent claims it as it is, on the same base", async () => {
  const repository = await checkout();
  const ground = groundOf(repository);
  const tree = await deferredIn(repository, ground, { owner: DEAD });
  repository.write({ "a.txt": "changed since\n" });
  expect(await sweep({ folder: repository.folder, except: "s1" }, ground)).toMatchObject({ removed: [] });
  const request = creationIn(repository.folder, { travels: true, deferred: true });
  expect(await claimTree(request, ground)).toMatchObject({ how: "as-it-is", tree });
  expect(existsSync(tree.path)).toBe(false);
  await makeTree({ tree }, ground);
  expect(readFileSync(join(tree.path, "a.txt"), "utf8")).toBe("2\n");
});

test("users and sweeps leave that of a living session alone, and remove that of a dead one", async () => {
  const repository = await checkout();
  const ground = groundOf(repository);
  const { folder } = repository;
  const named = { folder, name: "one" };
  const tree = await deferredIn(repository, ground);
  expect(await removeNamedTree({ ...named, force: true }, ground)).toMatchObject({ type: "refused" });
  expect(await mergeNamedTree({ ...named, deletions: "do" }, ground)).toMatchObject({ type: "refused" });
  expect(await sweep({ folder }, ground)).toMatchObject({ removed: [], left: [] });
  expect(await removeTree({ tree }, ground)).toEqual({ type: "done" });

  await deferredIn(repository, ground, { owner: DEAD });
  expect(await removeNamedTree({ ...named, force: false }, ground)).toMatchObject({ type: "removed" });
  expect(await leftIn(repository)).toEqual([]);
  await deferredIn(repository, ground, { owner: DEAD });
  expect(await mergeNamedTree({ ...named, deletions: "ask" }, ground)).toMatchObject({ type: "empty" });
  expect(await leftIn(repository)).toEqual([]);
  await deferredIn(repository, ground, { owner: DEAD });
  expect(await sweep({ folder }, ground)).toMatchObject({ removed: ["one"], left: [] });
  expect(await leftIn(repository)).toEqual([]);
});

test("a user can restore that of a dead session", async () => {
  const repository = await checkout();
  const ground = groundOf(repository);
  const tree = await deferredIn(repository, ground, { owner: DEAD });
  const named = { folder: repository.folder, name: "one" };
  expect(await restoreTree(named, ground)).toMatchObject({ type: "restored", path: tree.path });
  expect(readFileSync(join(tree.path, "a.txt"), "utf8")).toBe("2\n");
  expect(await listTrees(named, ground)).not.toMatchObject({ trees: [{ deferred: true }] });
});

/** Makes it in a process that the `at`th git of it kills. */
function killed(repository: TestRepository, op: string, tree: Worktree, at: number, how: How) {
  const killing = { folder: join(repository.folder, "..", "killing"), env: repository.env, at, how };
  const program = join(import.meta.dirname, "killed-op.ts");
  return killedProgram(killing, program, (env) => [op, JSON.stringify(tree), JSON.stringify(env), ""]);
}

test.for(["before", "after", "torn", "orphan"] as const)(
  "a git worker that is killed while it makes one is followed by one that makes it whole (%s)",
  async (how) => {
    const repository = await checkout();
    const ground = groundOf(repository);
    for (let at = 1, more = true; more && at < MOST; at += 1) {
      const name = `one${at}`;
      const tree = await deferredIn(repository, ground, { name });
      more = await killed(repository, "make", tree, at, how);
      if (how === "orphan") await orphansAreGone(join(repository.folder, "..", "killing"));
      // Only its own session can remove it.
      expect(await sweep({ folder: repository.folder }, ground), name).toMatchObject({ removed: [] });
      expect(await makeTree({ tree }, ground), name).toEqual({ type: "done", notes: [] });
      expect(filesBelow(tree.path), name).toMatchObject({ "a.txt": "- 2\n", "untracked.txt": "- u\n" });
      expect((await repository.must(["rev-parse", `worktree-${name}`])).trim()).toBe(tree.base);
    }
  },
);

test.for([1, 2, 3, 4])("one whose removal, or whose making, was cut off is removed (%d)", async (from) => {
  const repository = await checkout();
  const ground = groundOf(repository);
  for (let at = from, more = true; more && at < MOST; at += 4) {
    const tree = await deferredIn(repository, ground);
    more = await killed(repository, "make", tree, at, "torn");
    const again = await killed(repository, "remove", tree, 1, "torn");
    more ||= again;
    await removeTree({ tree }, ground);
    expect(await leftIn(repository), `${at}`).toEqual([]);
  }
});

test.for(["before", "after", "torn"] as const)(
  "nothing is left of one whose creation was cut off (%s)",
  async (how) => {
    const repository = await checkout();
    const ground = groundOf(repository);
    const tree = await deferredIn(repository, ground, { name: "known" });
    await removeTree({ tree }, ground);
    for (let at = 1, more = true; more && at < MOST; at += 1) {
      more = await killed(repository, "defer", tree, at, how);
      await sweep({ folder: repository.folder }, ground);
      expect(await leftIn(repository), `${at}`).toEqual([]);
    }
  },
);
