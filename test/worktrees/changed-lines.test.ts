import fc from "fast-check";
import { expect, test } from "vitest";
import { collide, compareLines } from "../../src/features/writers/overlaps.ts";
import type { Worktree } from "../../src/mailbox/worktree.ts";
import { hunksOf } from "../../src/worktrees/diff.ts";
import type { GitEnvironment } from "../../src/worktrees/environment.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { changedLinesOf } from "./operations.ts";
import { treeIn } from "./tree-of-tests.ts";

const LINES = Array.from({ length: 30 }, (_, at) => `line ${at}\n`);
const changed = (at: number, to: string) => LINES.map((line, i) => (i === at ? to : line)).join("");

async function compared(one: Worktree, other: Worktree, path: string, ground: GitEnvironment) {
  const [mine, theirs] = await Promise.all(
    [one, other].map((tree) => changedLinesOf({ tree, path }, ground)),
  );
  if (mine?.type !== "lines" || theirs?.type !== "lines") throw new Error("It was refused.");
  return compareLines(mine, theirs);
}

async function two() {
  const repository = await repositoryWith({ "a.txt": LINES.join(""), bin: Buffer.from([0, 1]) });
  const [one, other] = [await treeIn(repository, "t1"), await treeIn(repository, "t2")];
  const lines = async (path: string) => {
    await one.snapshot();
    await other.snapshot();
    return compared(one.tree, other.tree, path, one.ground);
  };
  return { one, other, lines, repository };
}

test("the same lines, touching lines, others, and a file that only one changes", {
  tags: ["long"],
}, async () => {
  const { one, other, lines } = await two();
  one.write("a.txt", changed(10, "mine\n"));
  expect(await lines("a.txt")).toBe("others");
  other.write("a.txt", changed(20, "theirs\n"));
  expect(await lines("a.txt")).toBe("others");
  other.write("a.txt", changed(11, "theirs\n"));
  expect(await lines("a.txt")).toBe("same");
  other.write("a.txt", changed(10, "theirs\n"));
  expect(await lines("a.txt")).toBe("same");
});

test("a file that both made, and one without lines, are one place", { tags: ["long"] }, async () => {
  const { one, other, lines } = await two();
  for (const [t, byte] of [
    [one, 2],
    [other, 3],
  ] as const) {
    t.write("new.txt", `${byte}\n`);
    t.write("bin", Buffer.from([0, byte]));
  }
  expect(await lines("new.txt")).toBe("same");
  expect(await lines("bin")).toBe("same");
});

test("lines of different bases cannot be compared", { tags: ["long"] }, async () => {
  const { one, repository } = await two();
  repository.write({ "a.txt": changed(0, "another base\n") });
  await repository.commit("Further");
  const third = await treeIn(repository, "t3");
  expect(await compared(one.tree, third.tree, "a.txt", one.ground)).toBe("unknown");
});

test("hunks collide as often from either side, and never with none", () => {
  const hunk = fc.tuple(fc.nat(50), fc.nat(5)).map(([start, lines]) => ({ start, end: start + lines }));
  fc.assert(
    fc.property(fc.array(hunk), fc.array(hunk), (some, others) => {
      expect(collide(some, others)).toBe(collide(others, some));
      expect(collide(some, [])).toBe(false);
    }),
  );
  expect(hunksOf("@@ -3 +3 @@\n@@ -0,0 +1,2 @@\n@@ -7,2 +6,0 @@")).toEqual([
    { start: 2, end: 3 },
    { start: 0, end: 0 },
    { start: 6, end: 8 },
  ]);
});
