// @module-tag long
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { locksOf } from "../../../src/worktrees/runner/trees.ts";
import { emptyRepository, repositoryWith, type TestRepository } from "../../support/git-repository.ts";
import { OWNER } from "../../support/worktree-ground.ts";
import {
  applyMerge,
  diffTree,
  exportTree,
  keepTree,
  listTrees,
  prepareMerge,
  rebaseTree,
  removeTree,
  restoreTree,
  undoMerge,
} from "../operations.ts";
import { filesBelow, travelWorld } from "./travel-world.ts";

const KEY = `sk-ant-${"a1".repeat(20)}`;

/** A checkout with every kind of file and of change. */
async function variedCheckout(): Promise<TestRepository> {
  const repository = await repositoryWith({
    ".gitattributes": "*.dos text eol=crlf\n",
    ".gitignore": "ignored\n",
    "kept.txt": "kept\n",
    "changed.txt": "1\n",
    "deleted.txt": "deleted\n",
    "old-name.txt": "a text that is long enough to be found under its new name\n",
    "run.sh": "#!/bin/sh\n",
    "binary.bin": Buffer.from([0, 255, 1, 254, 10, 13]),
    "naïve ñame/ünï.txt": "ünï\n",
    "crlf.txt": "one\r\ntwo\r\n",
    "attribute.dos": "one\r\n",
  });
  const { folder } = repository;
  repository.write({
    "changed.txt": "2\n",
    "deleted.txt": null,
    "new/deep/untracked.txt": "untracked\n",
    ignored: "ignored\n",
    "key.txt": `${KEY}\n`,
    "staged.txt": "staged\n",
  });
  renameSync(join(folder, "old-name.txt"), join(folder, "new-name.txt"));
  chmodSync(join(folder, "run.sh"), 0o755);
  symlinkSync("kept.txt", join(folder, "link"));
  await repository.must(["add", "staged.txt"]);
  return repository;
}

test("a worktree has the same files on a runner, without ignored files and secrets", async () => {
  const repository = await variedCheckout();
  const world = travelWorld(repository);
  const tree = await world.create();
  const sent = await world.sendOut({ type: "tree", tree });
  const { ignored: _, "key.txt": __, ...expected } = filesBelow(repository.folder);
  expect(filesBelow(world.remote("one"))).toEqual(expected);
  expect(filesBelow(tree.path)).toEqual(expected);
  expect(sent).toMatchObject({ untracked: 4 });
  expect(readFileSync(join(world.remote("one"), "attribute.dos"), "utf8")).toBe("one\r\n");
});

/** Edits of every kind, in a worktree on a runner. */
function editIn(top: string): void {
  const at = (path: string) => join(top, path);
  writeFileSync(at("changed.txt"), "3\n");
  writeFileSync(at("crlf.txt"), "one\r\nthree\r\n");
  writeFileSync(at("binary.bin"), Buffer.from([1, 0, 2, 0]));
  writeFileSync(at("naïve ñame/ünï.txt"), "changed\n");
  mkdirSync(at("made/deep"), { recursive: true });
  writeFileSync(at("made/deep/ß.txt"), "made\n");
  renameSync(at("new-name.txt"), at("made/newer-name.txt"));
  rmSync(at("kept.txt"));
  chmodSync(at("run.sh"), 0o644);
  symlinkSync("deep/ß.txt", at("made/link"));
  // It names a place of the runner's machine.
  symlinkSync("/usr/bin/env", at("env"));
  writeFileSync(at("ignored"), "ignored on the runner\n");
}

test("edits of every kind return, are merged into the checkout, and are undone", async () => {
  const repository = await variedCheckout();
  const before = filesBelow(repository.folder);
  const world = travelWorld(repository);
  const { ground } = world;
  const tree = await world.create();
  const sent = await world.sendOut({ type: "tree", tree });
  expect(await world.bringBack(tree, sent.commit)).toBeNull();
  editIn(world.remote("one"));
  const back = await world.bringBack(tree, sent.commit);
  expect(back?.notes).toEqual([]);
  expect(back?.changed).toContainEqual({ path: "kept.txt", change: "deleted" });
  const { ignored: _, env: __, ...expected } = filesBelow(world.remote("one"));
  expect(filesBelow(tree.path)).toEqual(expected);

  const prepared = await prepareMerge({ tree, deleted: ["kept.txt"], forCheck: false }, ground);
  expect(prepared).toMatchObject({ type: "clean", strange: [] });
  const merge = { tree, expects: null, hold: [], commit: null, owner: OWNER, title: "Edits" };
  expect(await applyMerge(merge, ground)).toMatchObject({ type: "merged" });
  const own = { ignored: before["ignored"], "key.txt": before["key.txt"] };
  expect(filesBelow(repository.folder)).toEqual({ ...expected, ...own });
  expect(await removeTree({ tree }, ground)).toEqual({ type: "done" });
  expect(await undoMerge({ folder: repository.folder, which: null, force: false }, ground)).toMatchObject({
    type: "undone",
  });
  expect(filesBelow(repository.folder)).toEqual(before);
});

test("what was changed here while an agent worked on a runner stays; of the same lines the runner's are taken, and a note says so", async () => {
  const lines = (first: string, last: string) => [first, ..."2345678", last, ""].join("\n");
  const repository = await repositoryWith({ "a.txt": lines("1", "9"), "kept.txt": "kept\n" });
  const world = travelWorld(repository);
  const tree = await world.create();
  const { commit } = await world.sendOut({ type: "tree", tree });
  const here = (name: string, text: string) => writeFileSync(join(tree.path, name), text);
  const there = (name: string, text: string) => writeFileSync(join(world.remote("one"), name), text);
  here("a.txt", lines("here", "9"));
  here("here.txt", "here\n");
  there("a.txt", lines("1", "there"));
  there("there.txt", "there\n");
  const first = await world.bringBack(tree, commit);
  const both = { "a.txt": `- ${lines("here", "there")}`, "here.txt": "- here\n", "there.txt": "- there\n" };
  expect(filesBelow(tree.path)).toEqual({ "kept.txt": "- kept\n", ...both });
  expect(first?.notes).toEqual([]);
  expect(first?.changed.map(({ path }) => path).toSorted()).toEqual(["a.txt", "there.txt"]);

  there("b.txt", "more\n");
  rmSync(join(world.remote("one"), "kept.txt"));
  const second = await world.bringBack(tree, first?.commit ?? "");
  expect(filesBelow(tree.path)).toEqual({ ...both, "b.txt": "- more\n" });

  there("a.txt", lines("runner", "there"));
  const third = await world.bringBack(tree, second?.commit ?? "");
  expect(third?.notes.join()).toMatch(/the same lines of a\.txt; the runner's are there now/);
  expect(filesBelow(tree.path)).toEqual({
    ...both,
    "a.txt": `- ${lines("runner", "there")}`,
    "b.txt": "- more\n",
  });
});

test("a conflict goes back to the runner with its marks, and the resolved files are merged", async () => {
  const repository = await repositoryWith({ "a.txt": "one\ntwo\nthree\n", "b.txt": "b\n" });
  const world = travelWorld(repository);
  const { ground } = world;
  let tree = await world.create();
  const sent = await world.sendOut({ type: "tree", tree });
  writeFileSync(join(world.remote("one"), "a.txt"), "one\nagent\nthree\n");
  await world.bringBack(tree, sent.commit);
  repository.write({ "a.txt": "one\nuser\nthree\n", "key.txt": `${KEY}\n` });
  const conflict = await prepareMerge({ tree, deleted: [], forCheck: false }, ground);
  expect(conflict).toMatchObject({ type: "conflict", conflicts: [{ path: "a.txt" }] });
  const rebased = await rebaseTree({ tree }, ground);
  if (rebased.type !== "rebased") throw new Error(rebased.reason);
  tree = rebased.tree;
  const again = await world.sendOut({ type: "tree", tree });
  expect(
    await exportTree({ source: { type: "tree", tree }, have: [], into: world.blobs }, ground),
  ).toMatchObject({
    commit: again.commit,
  });
  const marked = readFileSync(join(world.remote("one"), "a.txt"), "utf8");
  expect(marked).toMatch(/^<{7} .*\n(?:user|agent)\n={7}\n(?:user|agent)\n>{7} /m);
  expect(filesBelow(world.remote("one"))).not.toHaveProperty("key.txt");
  // What it has of its own is a change against its base, as it is here.
  const status = await repository.git.at(world.remote("one")).run(["status", "--porcelain"]);
  expect(status.out).toBe(" M a.txt\n");
  writeFileSync(join(world.remote("one"), "a.txt"), "one\nuser and agent\nthree\n");
  await world.bringBack(tree, again.commit);
  const merge = { tree, expects: null, hold: [], commit: null, owner: OWNER, title: "Edits" };
  expect(await applyMerge(merge, ground)).toMatchObject({ type: "merged", files: 1 });
  expect(filesBelow(repository.folder)).toEqual({
    "a.txt": "- one\nuser and agent\nthree\n",
    "b.txt": "- b\n",
    "key.txt": `- ${KEY}\n`,
  });
});

test("an attempt begins at the commit of an earlier turn, with the agent's own commits", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const world = travelWorld(repository);
  const tree = await world.create();
  const sent = await world.sendOut({ type: "tree", tree });
  const there = repository.git.at(world.remote("one"));
  writeFileSync(join(world.remote("one"), "a.txt"), "2\n");
  await there.run(["commit", "-q", "-a", "-m", "Mine"]);
  writeFileSync(join(world.remote("one"), "b.txt"), "b\n");
  const first = await world.bringBack(tree, sent.commit);
  writeFileSync(join(world.remote("one"), "b.txt"), "lost with its runner\n");
  await world.bringBack(tree, first?.commit ?? "");
  const again = await world.sendOut({ type: "tree", tree, at: first?.commit ?? "" });
  expect(again).toMatchObject({ commit: first?.commit });
  expect(readFileSync(join(world.remote("one"), "b.txt"), "utf8")).toBe("b\n");
  expect(readFileSync(join(tree.path, "b.txt"), "utf8")).toBe("b\n");
  expect((await there.run(["log", "-1", "--format=%s"])).out).toBe("Mine\n");
  expect((await there.run(["status", "--porcelain"])).out).toBe("?? b.txt\n");
});

test("list, diff, restore and keep work on edits that came from a runner", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const { folder } = repository;
  const world = travelWorld(repository);
  const { ground } = world;
  const tree = await world.create();
  const sent = await world.sendOut({ type: "tree", tree });
  writeFileSync(join(world.remote("one"), "a.txt"), "2\n");
  await world.bringBack(tree, sent.commit);
  expect(await listTrees({ folder }, ground)).toMatchObject({
    trees: [{ name: "one", counts: { files: 1 } }],
  });
  expect(await diffTree({ folder, name: "one" }, ground)).toMatchObject({
    text: expect.stringContaining("+2"),
  });
  rmSync(tree.path, { recursive: true });
  expect(await restoreTree({ folder, name: "one" }, ground)).toMatchObject({ type: "restored" });
  expect(readFileSync(join(tree.path, "a.txt"), "utf8")).toBe("2\n");
  expect(await keepTree({ tree, message: "Kept" }, ground)).toMatchObject({ type: "kept", files: 1 });
  expect(await removeTree({ tree }, ground)).toEqual({ type: "done" });
});

test("agents that only read share a worktree of the checkout, which goes with the last of them", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  repository.write({ "b.txt": "b\n" });
  const world = travelWorld(repository);
  const { runner, ground, blobs } = world;
  const source = { type: "checkout", folder: repository.folder } as const;
  const [one, two] = [
    await exportTree({ source, have: [], into: blobs }, ground),
    await exportTree({ source, have: [], into: blobs }, ground),
  ];
  if (one.type !== "exported" || two.type !== "exported") throw new Error("not exported");
  expect(one.commit).toBe(two.commit);
  await runner.receive(one.repository, { commit: one.commit, bundle: one.bundle ?? "" });
  const path = world.remote(`base-${one.commit.slice(0, 12)}`);
  const tree = { repository: one.repository, commit: one.commit, path, shared: true };
  const [lease, last] = await Promise.all([runner.trees.add(tree), runner.trees.add(tree)]);
  expect(filesBelow(path)).toEqual(filesBelow(repository.folder));
  await runner.trees.remove(path, lease);
  await runner.trees.remove(path, lease);
  expect(filesBelow(path)).toHaveProperty("b.txt");
  await runner.trees.remove(path, last);
  expect(readdirSync(world.folder).sort()).toEqual(["blobs", "clones", "trees"]);
  const trees = join(world.folder, "trees");
  expect(readdirSync(trees)).toEqual([basename(locksOf(trees))]);
});

test("bundles are small if the runner has the history, and are not needed for a commit that it has", async () => {
  const big = Array.from({ length: 400 }, (_, at) => `${at} ${Math.sin(at)}\n`).join("");
  const repository = await repositoryWith({ "big.txt": big });
  const world = travelWorld(repository);
  const [one, two] = [await world.create("one"), await world.create("two")];
  const first = await world.sendOut({ type: "tree", tree: one }, "one");
  const second = await world.sendOut({ type: "tree", tree: two }, "two");
  expect(second).toMatchObject({ commit: first.commit, bundle: null, bytes: 0 });
  repository.write({ "big.txt": `${big}more\n` });
  await repository.commit("More");
  const three = await world.create("three");
  expect((await world.sendOut({ type: "tree", tree: three }, "three")).bytes).toBeLessThan(1_500);
  // Two agents of one repository work at the same time.
  writeFileSync(join(world.remote("one"), "one.txt"), "1\n");
  writeFileSync(join(world.remote("two"), "two.txt"), "2\n");
  const [mine, yours] = await Promise.all([
    world.bringBack(one, first.commit),
    world.bringBack(two, second.commit),
  ]);
  expect([mine?.changed, yours?.changed]).toEqual([
    [{ path: "one.txt", change: "added" }],
    [{ path: "two.txt", change: "added" }],
  ]);
  expect(mine?.bytes).toBeLessThan(1_000);
});

test("a repository without a commit, and a shallow clone, travel as files without history", async () => {
  const unborn = await emptyRepository();
  unborn.write({ "a.txt": "1\n" });
  const origin = await repositoryWith({ "a.txt": "1\n" });
  await origin.commit("Second");
  const shallow = await emptyRepository();
  await shallow.must(["fetch", "-q", "--depth=1", `file://${origin.folder}`, "main"]);
  await shallow.must(["reset", "-q", "--hard", "FETCH_HEAD"]);
  for (const repository of [unborn, shallow]) {
    const world = travelWorld(repository);
    const tree = await world.create();
    const sent = await world.sendOut({ type: "tree", tree });
    writeFileSync(join(world.remote("one"), "b.txt"), "b\n");
    expect((await world.bringBack(tree, sent.commit))?.changed).toEqual([{ path: "b.txt", change: "added" }]);
    expect(filesBelow(tree.path)).toEqual({ "a.txt": "- 1\n", "b.txt": "- b\n" });
    const again = await world.sendOut({ type: "tree", tree });
    expect(filesBelow(world.remote("one"))).toEqual(filesBelow(tree.path));
    expect(again.bytes).toBeLessThan(2_000);
  }
});
