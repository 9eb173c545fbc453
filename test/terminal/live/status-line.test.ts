import { expect, test } from "vitest";
import { plain } from "../../../src/terminal/colour.ts";
import { type SessionStatus, statusLine } from "../../../src/terminal/live/prompt-rows.ts";

const full: SessionStatus = {
  vim: null,
  model: "claude-sonnet-4-5-20250929",
  mode: "acceptEdits",
  context: 0.123,
  costUsd: 0.42,
  branch: "main",
  agents: { working: 3, waiting: 1 },
  tasks: 0,
  isWorking: false,
};
const busy = { ...full, costUsd: 0, tasks: 2, isWorking: true };
const none = { ...full, context: null, costUsd: 0, branch: null, agents: { working: 0, waiting: 0 } };

test.each([
  [100, full, "  sonnet-4-5 · acceptEdits · context 12 % · $0.42 · main · 3 agents (1 waits)"],
  [70, full, "  sonnet-4-5 · acceptEdits · context 12 % · $0.42 · 3 agents (1 waits)"],
  [62, full, "  sonnet-4-5 · acceptEdits · context 12 % · 3 agents (1 waits)"],
  [50, full, "  acceptEdits · context 12 % · 3 agents (1 waits)"],
  [36, full, "  acceptEdits · 3 agents (1 waits)"],
  [20, full, "  acceptEdits"],
  [50, { ...full, vim: "NORMAL" }, "  NORMAL · acceptEdits · 3 agents (1 waits)"],
  [26, { ...full, vim: "NORMAL" }, "  NORMAL · acceptEdits"],
  [8, full, "  accep…"],
  [80, none, "  sonnet-4-5 · acceptEdits"],
  [
    120,
    busy,
    "  sonnet-4-5 · acceptEdits · context 12 % · main · 3 agents (1 waits) · 2 background tasks · Esc stops",
  ],
  [60, busy, "  acceptEdits · 3 agents (1 waits) · 2 background tasks"],
  [80, { ...none, branch: "a\u001b[2Jb\u202ec", model: "m\ny" }, "  m y · acceptEdits · ab<U+202E>c"],
] as const)("in %i columns the line says what fits (issue 21, 6)", (columns, status, expected) => {
  expect(statusLine(status, columns, plain)).toBe(expected);
});
