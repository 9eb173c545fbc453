import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { worktreeGist, worktreeLine } from "../../../src/features/isolation/worktree-result.ts";
import type { Conflict, WorktreeResult } from "../../../src/mailbox/worktree.ts";

const merged: WorktreeResult = {
  outcome: "merged",
  files: 3,
  insertions: 41,
  deletions: 7,
  base: "b",
  head: "h",
  merge: "m1",
};
const there = { branch: "worktree-agent-a1", path: "/repo/.claude/worktrees/agent-a1" };

describe("formats the result of an agent's edits in one line (A16.4, A22.26)", () => {
  test.each<[string, WorktreeResult, string]>([
    ["merged", merged, "3 files, +41 -7, merged; undo: troupe undo a1b2"],
    ["one file", { ...merged, files: 1 }, "1 file, +41 -7, merged; undo: troupe undo a1b2"],
    [
      "committed",
      { ...merged, commit: "0123456789abcdef" },
      "3 files, +41 -7, merged and committed as 0123456789; undo: troupe undo a1b2",
    ],
    [
      "a deletion that was held back",
      { ...merged, held: ["src/old.ts"] },
      "3 files, +41 -7, merged; undo: troupe undo a1b2; 1 file was not deleted, as no call of the agent did it: src/old.ts",
    ],
    [
      "many of them",
      { ...merged, held: ["a", "b", "c", "d", "e", "f", "g"] },
      "3 files, +41 -7, merged; undo: troupe undo a1b2; 7 files were not deleted, as no call of the agent did it: a, b, c, d, e and 2 more",
    ],
    [
      "what was left out",
      { ...merged, notes: ["The submodule vendor/lib was left out."] },
      "3 files, +41 -7, merged; undo: troupe undo a1b2; The submodule vendor/lib was left out",
    ],
    [
      "conflict",
      {
        ...merged,
        outcome: "conflict",
        ...there,
        conflicts: [
          { path: "src/a.ts", kind: "content", lines: [{ from: 3, to: 9 }] },
          { path: "src/b.ts", kind: "modify/delete", lines: [] },
          {
            path: "src/c.ts",
            kind: "content",
            lines: [
              { from: 1, to: 1 },
              { from: 5, to: 8 },
            ],
          },
          { path: "src/d.ts", kind: "content", lines: [{ from: 4, to: 4 }] },
        ],
      },
      "conflict in src/a.ts (lines 3-9), src/b.ts (modify/delete), src/c.ts (lines 1, 5-8), src/d.ts (line 4); the edits (3 files, +41 -7) are on branch worktree-agent-a1 in /repo/.claude/worktrees/agent-a1",
    ],
    [
      "conflict without files, with a reason",
      { ...merged, outcome: "conflict", reason: "It did not fit after two tries.", branch: there.branch },
      "conflict; it did not fit after two tries; the edits (3 files, +41 -7) are on branch worktree-agent-a1",
    ],
    [
      "kept",
      { ...merged, outcome: "kept", ...there, reason: "npm test exited with 1." },
      "3 files, +41 -7, not merged; npm test exited with 1; the edits are on branch worktree-agent-a1 in /repo/.claude/worktrees/agent-a1; merge them or see conflicts: troupe worktrees merge a1b2",
    ],
    [
      "kept, and nobody knows where",
      { ...merged, outcome: "kept" },
      "3 files, +41 -7, not merged; the edits are in the snapshots of its worktree (troupe worktrees list)",
    ],
    ["empty", { ...merged, outcome: "empty", files: 0, insertions: 0, deletions: 0 }, "no edits"],
  ])("%s", (_, result, line) => {
    expect(worktreeLine(result, "a1b2")).toBe(line);
  });

  test.each<[Partial<WorktreeResult>, string | null]>([
    [{}, "3 files merged"],
    [{ files: 1, commit: "c" }, "1 file committed"],
    [{ outcome: "kept" }, "3 files not merged"],
    [{ outcome: "conflict", conflicts: [{ path: "a", kind: "content", lines: [] }] }, "1 file in conflict"],
    [{ outcome: "conflict" }, "conflict"],
    [{ outcome: "empty" }, null],
  ])("%j in a few words is %s", (change, gist) => {
    expect(worktreeGist({ ...merged, ...change })).toBe(gist);
  });

  test("escapes file names so that they break no line and hide nothing (property)", () => {
    const path = fc.string({
      unit: fc.constantFrom("a", "/", "\n", "\r", "\u001b[2J", "\u202e", " ", "\u2028"),
    });
    const results = fc.record({
      outcome: fc.constantFrom("merged" as const, "conflict" as const, "kept" as const, "empty" as const),
      reason: path,
      conflicts: fc.array(fc.record({ path, kind: path, lines: fc.constant<Conflict["lines"]>([]) }), {
        maxLength: 3,
      }),
      held: fc.array(path, { maxLength: 3 }),
      notes: fc.array(path, { maxLength: 3 }),
      branch: path,
      path,
    });
    fc.assert(
      fc.property(results, (strange) => {
        expect(worktreeLine({ ...merged, ...strange }, "a1b2")).not.toMatch(
          /[\p{Cc}\p{Bidi_Control}\u2028]/u,
        );
      }),
      { seed: 6, numRuns: 200 },
    );
  });
});
