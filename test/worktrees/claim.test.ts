// @module-tag long
import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { snapshotRef } from "../../src/worktrees/layout.ts";
import type { GitRequest } from "../../src/worktrees/protocol.ts";
import { readRecord, writeRecord } from "../../src/worktrees/tree-record.ts";
import { repositoryWith, type TestRepository } from "../support/git-repository.ts";
import { creationIn, groundOf, OWNER } from "../support/worktree-ground.ts";
import { claimTree, createTree, removeTree, snapshotTree } from "./operations.ts";

const NEXT = { ...OWNER, session: "session2" };
const DEAD = { pid: 1, startedAt: "another boot 1" };

async function withTree() {
  const person = await repositoryWith({ "a.txt": "1\n" });
  const common = join(person.folder, ".git");
  const ground = groundOf(person);
  const made = await createTree(creationIn(person.folder), ground);
  if (made.type === "refused") throw new Error(made.reason);
  const { tree } = made;
  const snapshot = async () => {
    const taken = await snapshotTree({ tree, files: null }, ground);
    if (taken.type === "refused") throw new Error(taken.reason);
    return taken;
  };
  return { person, common, ground, tree, snapshot };
}

async function claimed(person: TestRepository, changed: Partial<GitRequest<"create">> = {}) {
  const answer = await claimTree(creationIn(person.folder, { owner: NEXT, ...changed }), groundOf(person));
  if (answer.type === "refused") throw new Error(answer.reason);
  return answer;
}

test("a tree that stands is claimed as it is, with its new owner", async () => {
  const { person, common, tree } = await withTree();
  writeFileSync(join(tree.path, "a.txt"), "edited");
  expect(await claimed(person)).toEqual({ type: "claimed", tree, how: "as-it-is", notes: [] });
  expect(readFileSync(join(tree.path, "a.txt"), "utf8")).toBe("edited");
  expect((await readRecord(common, "one"))?.owner).toEqual(NEXT);
});

test("one that was removed with edits that are in no checkout is put back with them", {
  tags: ["long"],
}, async () => {
  const { person, common, ground, tree, snapshot } = await withTree();
  writeFileSync(join(tree.path, "a.txt"), "edited");
  await snapshot();
  expect(await removeTree({ tree }, ground)).toEqual({ type: "done" });
  expect(await claimed(person)).toMatchObject({ how: "put-back", tree });
  expect(readFileSync(join(tree.path, "a.txt"), "utf8")).toBe("edited");
  expect((await readRecord(common, "one"))?.owner).toEqual(NEXT);
});

test("makes one whose edits are merged again on the current checkout, and keeps its old snapshots", {
  tags: ["long"],
}, async () => {
  const { person, common, ground, tree, snapshot } = await withTree();
  writeFileSync(join(tree.path, "a.txt"), "edited");
  const { commit } = await snapshot();
  await removeTree({ tree }, ground);
  const record = await readRecord(common, "one");
  if (record === null) throw new Error("no record");
  await writeRecord(common, "one", { ...record, result: "merged" });
  person.write({ "a.txt": "merged, and more" });
  const again = await claimed(person);
  expect(again).toMatchObject({
    how: "created-again",
    tree: { ...tree, base: expect.not.stringMatching(tree.base) },
  });
  expect(readFileSync(join(tree.path, "a.txt"), "utf8")).toBe("merged, and more");
  await person.must(["merge-base", "--is-ancestor", commit, snapshotRef("one")]);
  const taken = await snapshotTree({ tree: again.tree, files: null }, ground);
  expect(taken).toMatchObject({ type: "taken", changed: [] });
  expect(await readRecord(common, "one")).toMatchObject({ owner: NEXT, made: true, result: null });
});

test("makes one again that never existed, or that a dead git worker left half made", {
  tags: ["long"],
}, async () => {
  const { person, common } = await withTree();
  expect(await claimed(person, { name: "two" })).toMatchObject({ how: "created-again" });
  const record = await readRecord(common, "two");
  if (record === null) throw new Error("no record");
  await writeRecord(common, "two", { ...record, made: false, maker: DEAD });
  const again = await claimed(person, { name: "two" });
  expect(again.how).toBe("created-again");
  expect(existsSync(join(again.tree.path, "a.txt"))).toBe(true);
});

test("waits for the keeper of a killed session that is still making it, or taking it back (issue 15, 28)", async () => {
  const { person, common, tree } = await withTree();
  const record = await readRecord(common, "one");
  if (record === null) throw new Error("no record");
  const owner = { ...OWNER, process: DEAD };
  await writeRecord(common, "one", { ...record, owner, made: false });
  let looks = 0;
  const isAlive = ({ pid }: { readonly pid: number }) => {
    if (pid === DEAD.pid) return false;
    // It has been looked at: now it is finished.
    looks += 1;
    void writeRecord(common, "one", { ...record, owner });
    return true;
  };
  const request = creationIn(person.folder, { owner: NEXT });
  expect(await claimTree(request, groundOf(person, { isAlive }))).toMatchObject({ how: "as-it-is", tree });
  expect(looks).toBeGreaterThan(0);
});

test("one whose git was killed at a ref is made all the same: the lock goes (issue 15, 28)", {
  tags: ["long"],
}, async () => {
  const { person, common } = await withTree();
  await claimed(person, { name: "two" });
  const record = await readRecord(common, "two");
  if (record === null) throw new Error("no record");
  await writeRecord(common, "two", { ...record, made: false, maker: DEAD });
  const locks = ["refs/heads/worktree-two.lock", "refs/troupe/bases/two.lock"].map((ref) =>
    join(common, ref),
  );
  for (const lock of locks) writeFileSync(lock, "");
  const other = join(common, "refs/heads/main.lock");
  writeFileSync(other, "");
  // Of one that was killed while it deleted a ref, as its note says.
  const note = join(common, "troupe", `deleting-${DEAD.pid}-refs-heads-worktree-two`);
  symlinkSync(JSON.stringify(DEAD), note);
  const packed = join(common, "packed-refs.lock");
  writeFileSync(packed, "");
  expect(await claimed(person, { name: "two" })).toMatchObject({ how: "created-again" });
  expect([...locks, packed, other].map((lock) => existsSync(lock))).toEqual([...[false, false, false, true]]);
  expect(lstatSync(note, { throwIfNoEntry: false })).toBeUndefined();
});

test.each(["commondir", "gitdir", "HEAD"])(
  "git that was killed while it wrote %s of another's worktree does not stop a claim (issue 15, 28)",
  { tags: ["long"] },
  async (file) => {
    const { person, common } = await withTree();
    await claimed(person, { name: "two" });
    const record = await readRecord(common, "two");
    if (record === null) throw new Error("no record");
    await writeRecord(common, "two", { ...record, made: false, maker: DEAD });
    writeFileSync(join(common, "worktrees", "two", file), "");
    expect(await claimed(person, { name: "three" })).toMatchObject({ how: "created-again" });
    expect(await claimed(person, { name: "two" })).toMatchObject({ how: "created-again" });
    expect(await person.must(["worktree", "list"])).toMatch(/two[\s\S]*three|three[\s\S]*two/);
  },
);

test("C13: refuses one whose session still runs", async () => {
  const { person, ground } = await withTree();
  const other = { ...NEXT, process: { pid: process.ppid, startedAt: null } };
  expect(await claimTree(creationIn(person.folder, { owner: other }), ground)).toMatchObject({
    type: "refused",
    reason: expect.stringMatching(/another session's, which still runs/),
  });
});

test("leaves what an earlier worktree of this name has kept", { tags: ["long"] }, async () => {
  const { person, common, ground, tree, snapshot } = await withTree();
  writeFileSync(join(tree.path, "a.txt"), "edited");
  const { commit } = await snapshot();
  await removeTree({ tree }, ground);
  const record = await readRecord(common, "one");
  if (record === null) throw new Error("no record");
  await writeRecord(common, "one", { ...record, result: "merged" });
  await person.must(["update-ref", `refs/heads/worktree-one`, "HEAD"]);
  expect(await claimTree(creationIn(person.folder), ground)).toMatchObject({ type: "refused" });
  await person.must(["update-ref", "-d", "refs/heads/worktree-one"]);
  person.write({ ".gitattributes": "*.txt filter=broken\n" });
  await person.must(["config", "filter.broken.smudge", "kill -9 $PPID"]);
  expect(await claimTree(creationIn(person.folder), ground)).toMatchObject({ type: "refused" });
  await person.must(["merge-base", "--is-ancestor", commit, snapshotRef("one")]);
  expect(await readRecord(common, "one")).toMatchObject({ made: true, result: "empty" });
  await person.must(["config", "filter.broken.smudge", "cat"]);
  expect(await claimed(person)).toMatchObject({ how: "created-again" });
});
