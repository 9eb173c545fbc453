import { expect, test } from "vitest";
import { doing } from "../../../src/cli/agent-text.ts";
import { sessionStoryText } from "../../../src/cli/session-story-text.ts";
import { noUsage } from "../../../src/mailbox/conversation.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import type { WorktreeResult } from "../../../src/mailbox/worktree.ts";
import { plain } from "../../../src/terminal/colour.ts";
import { actor, agentView } from "../../support/agent-view.ts";
import { summary } from "../fake-session.ts";

const merged: WorktreeResult = {
  outcome: "merged",
  ...{ files: 3, insertions: 41, deletions: 7, base: "b", head: "h", merge: "m1" },
};

test.each([
  [merged, "done", "done · 3 files merged"],
  [{ ...merged, outcome: "empty" as const }, "done", "done"],
  [{ ...merged, outcome: "kept" as const }, "failed", "failed · 3 files not merged: It broke."],
  [{ ...merged, outcome: "conflict" as const }, "done", "done · conflict"],
] as const)("the live tree shows the edits' outcome: %j", (worktree, status, words) => {
  const view = agentView({
    id: actor(1),
    state: "ended",
    summary: { ...summary(status, "", "It broke."), worktree },
  });
  expect(doing(view, 0)).toBe(words);
});

test("sessions show includes the edits' outcome, and the runners that had the agent", () => {
  const agent = {
    ...{ id: actor(1), parent: MAIN, depth: 1, type: "general-purpose", description: "rename it" },
    ...{ status: "done" as const, turns: 2, usage: noUsage, durationMs: 1_000, summary: null },
    attempts: [
      { attempt: 1, runner: "r1", left: "its runner r1 was lost" },
      { attempt: 2, runner: "r2", left: null },
    ],
    exchanges: [
      {
        ...{ prompt: "rename it", notice: null, replies: [] },
        summary: { ...summary("done", "It is renamed."), worktree: merged },
      },
    ],
  };
  const shown = sessionStoryText({ session: null, agents: [agent] }, { id: "s1", isHeld: false }, plain);
  expect(shown).toContain("  notes:\n    3 files, +41 -7, merged; undo: troupe undo agent1\n");
  expect(shown).toContain("  on:\n    r1, attempt 1: its runner r1 was lost\n    r2, attempt 2\n");
});
