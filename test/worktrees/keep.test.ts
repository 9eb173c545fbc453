import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRecord } from "../../src/worktrees/tree-record.ts";
import { keepTree } from "./operations.ts";
import { aTree, type TestTree } from "./tree-of-tests.ts";

async function kept(t: TestTree) {
  const answer = await keepTree({ tree: t.tree, message: "What it did" }, t.ground);
  if (answer.type !== "kept") throw new Error(JSON.stringify(answer));
  return answer;
}

test("the edits are one commit on the branch, and the tree is clean on it", { tags: ["long"] }, async () => {
  const t = await aTree();
  t.write("a.txt", "1\n2\n");
  t.write("new.bin", Buffer.from([0, 1, 2]));
  const { commit, files, insertions, deletions } = await kept(t);
  expect({ files, insertions, deletions }).toEqual({ files: 2, insertions: 2, deletions: 1 });
  expect((await t.repository.must(["rev-parse", t.tree.branch])).trim()).toBe(commit);
  expect((await t.repository.must(["rev-parse", `${commit}^`])).trim()).toBe(t.tree.base);
  expect(await t.must(["status", "--porcelain"])).toBe("");
  expect((await t.repository.must(["show", "-s", "--format=%s", commit])).trim()).toBe("What it did");
  expect((await readRecord(t.common, "t1"))?.result).toBe("kept");
  expect((await kept(t)).commit).toBe(commit);
});

test("commits of the agent are in it, and stay reachable from the snapshots", {
  tags: ["long"],
}, async () => {
  const t = await aTree();
  t.write("a.txt", "1\n");
  await t.must(["commit", "-qam", "Its own"]);
  const own = (await t.must(["rev-parse", "HEAD"])).trim();
  await t.must(["checkout", "-q", "--detach"]);
  const { commit } = await kept(t);
  expect((await t.must(["symbolic-ref", "HEAD"])).trim()).toBe(`refs/heads/${t.tree.branch}`);
  expect(await t.show(`${commit}:a.txt`)).toBe("1\n");
  await t.repository.must(["merge-base", "--is-ancestor", own, "refs/troupe/trees/t1"]);
});

test("without edits there is nothing to keep", { tags: ["long"] }, async () => {
  const t = await aTree();
  expect(await keepTree({ tree: t.tree, message: "m" }, t.ground)).toEqual({ type: "empty" });
  expect((await t.repository.must(["rev-parse", t.tree.branch])).trim()).toBe(t.tree.base);
});

test("a rebase that the agent left behind is over, and a locked index is left alone and said", {
  tags: ["long"],
}, async () => {
  const t = await aTree();
  t.write("a.txt", "mine\n");
  await t.must(["commit", "-qam", "Mine"]);
  await t.must(["checkout", "-q", "-b", "side", t.tree.base]);
  t.write("a.txt", "theirs\n");
  await t.must(["commit", "-qam", "Theirs"]);
  await expect(t.must(["rebase", t.tree.branch])).rejects.toThrow();
  const index = join(t.common, "worktrees", "t1", "index.lock");
  writeFileSync(index, "");
  const { notes } = await kept(t);
  expect(notes.join()).toMatch(/is locked/);
  expect(existsSync(join(t.common, "worktrees", "t1", "rebase-merge"))).toBe(false);
});
