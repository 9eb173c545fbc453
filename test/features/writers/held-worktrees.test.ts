import { describe, expect, test } from "vitest";
import { HeldWorktrees } from "../../../src/features/writers/held-worktrees.ts";
import { ActorId } from "../../../src/mailbox/ids.ts";
import type { Worktree } from "../../../src/mailbox/worktree.ts";
import type { AnswerOf, GitRequest } from "../../../src/worktrees/protocol.ts";

const one = ActorId.parse("actor1");
const tree = (path: string): Worktree => ({
  ...{ name: "one", path, branch: "worktree-one", checkout: "/repo", base: "b", head: null },
});
const taken = (...deleted: string[]): AnswerOf<"snapshot"> => ({
  ...{ type: "taken", commit: "c", notes: [] },
  changed: deleted.map((path) => ({ path, change: "deleted" as const })),
});

function treesOver(answers: readonly AnswerOf<"snapshot">[]) {
  const asked: GitRequest<"snapshot">[] = [];
  const warnings: string[] = [];
  const changes: string[][] = [];
  const trees = new HeldWorktrees({
    worktrees: {
      async snapshot(request) {
        asked.push(request);
        return answers[asked.length - 1] ?? taken();
      },
    },
    onWarning: (message) => warnings.push(message),
  });
  trees.onChanged((_, __, changed) => changes.push(changed.map(({ path }) => path)));
  return { trees, asked, warnings, changes };
}

describe("the trees of a session", () => {
  test("finds the innermost worktree of a directory, and none that only has the same prefix", () => {
    const { trees } = treesOver([]);
    const outer = trees.hold(tree("/repo/.claude/worktrees/one"), one);
    const inner = trees.hold(tree("/repo/.claude/worktrees/one/.claude/worktrees/two"), one);
    expect(trees.at("/repo/.claude/worktrees/one/src")).toBe(outer);
    expect(trees.at("/repo/.claude/worktrees/one/.claude/worktrees/two/src")).toBe(inner);
    expect(trees.at("/repo/.claude/worktrees/one-more")).toBeNull();
    expect(trees.at("/repo")).toBeNull();
  });

  test("takes a snapshot after each call that writes, in the order of the calls (D9)", async () => {
    const { trees, asked } = treesOver([]);
    const held = trees.hold(tree("/t"), one);
    trees.wrote(held, { actor: one, files: ["/t/a"], command: null });
    trees.wrote(held, { actor: one, files: null, command: "make" });
    await held.settled;
    expect(asked.map(({ files }) => files)).toEqual([["/t/a"], null]);
  });

  test.each([
    { command: "rm -r src", own: true },
    { command: "git mv a.txt b.txt", own: true },
    { command: "find . -name '*.txt' -delete", own: true },
    { command: "node move.js src/a.txt", own: true },
    { command: "npm run build", own: false },
    { command: "npm test", own: false },
    { command: "node move.js old-a.txt src/a.txt.orig", own: false },
    { command: "docker run --rm build", own: false },
    { command: "/bin/rm src/*", own: true },
    { command: "node -e 'fs.unlinkSync(\"a.txt\")'", own: true },
  ])(
    "a deletion is the agent's own where its command speaks of it: $command (C15)",
    async ({ command, own }) => {
      const { trees } = treesOver([taken("src/a.txt")]);
      const held = trees.hold(tree("/t"), one);
      trees.wrote(held, { actor: one, files: null, command });
      await held.settled;
      expect([...held.deleted]).toEqual(own ? ["src/a.txt"] : []);
    },
  );

  test("no longer counts a file that exists again as deleted", async () => {
    const back: AnswerOf<"snapshot"> = {
      ...{ type: "taken", commit: "c", notes: [], changed: [{ path: "a", change: "added" }] },
    };
    const { trees, changes } = treesOver([taken("a"), back]);
    const held = trees.hold(tree("/t"), one);
    trees.wrote(held, { actor: one, files: null, command: "rm a" });
    trees.wrote(held, { actor: one, files: ["/t/a"], command: null });
    await held.settled;
    expect([...held.deleted]).toEqual([]);
    expect(changes).toEqual([["a"], ["a"]]);
  });

  test("warns of a failed snapshot, and takes the next one", async () => {
    const { trees, asked, warnings } = treesOver([{ type: "refused", reason: "The disk is full." }, taken()]);
    const held = trees.hold(tree("/t"), one);
    trees.wrote(held, { actor: one, files: ["/t/a"], command: null });
    trees.wrote(held, { actor: one, files: ["/t/b"], command: null });
    await held.settled;
    expect(warnings).toEqual([expect.stringContaining("The disk is full.")]);
    expect(asked).toHaveLength(2);
  });
});
