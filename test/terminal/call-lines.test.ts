import { describe, expect, test } from "vitest";
import type { CallBeginEvent, CallEndEvent } from "../../src/events/call.ts";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import { plain } from "../../src/terminal/colour.ts";
import { displayWidth } from "../../src/terminal/display-width.ts";
import { createCallLines } from "../../src/terminal/transcript/call-lines.ts";
import { actor, agentView } from "../support/agent-view.ts";

const of = (index = 0) => ({ actor: MAIN, call: callId(MAIN, 1, index), toolUse: `t${index}` });
const begin = (tool: string, input: object, title: string, index = 0): CallBeginEvent => ({
  ...{ type: "call-begin", ...of(index), tool, turn: 1, input, title },
});
const end = (tool: string, how: Partial<CallEndEvent>, index = 0): CallEndEvent => ({
  ...{
    type: "call-end",
    ...of(index),
    tool,
    outcome: "ok",
    head: "",
    lines: 0,
    characters: 0,
    durationMs: 40,
  },
  ...how,
});
const bash = (command: string) => begin("Bash", { command }, command);
const text = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}`).join("\n");

describe("a call in the transcript (issue 21, 3)", () => {
  const cases: readonly (readonly [string, CallBeginEvent, CallEndEvent, readonly string[]])[] = [
    [
      "a command, with the first lines of its output",
      bash("npm test"),
      end("Bash", { exitCode: 0, head: text(1, 40), lines: 50, durationMs: 4_200 }),
      ["✓ $ npm test  4.2 s", "  line 1", "  line 2", "  line 3", "  … 47 more lines"],
    ],
    [
      "a command that failed, with its exit code and its last lines",
      bash("make"),
      end("Bash", { exitCode: 2, head: text(1, 12), lines: 12 }),
      [
        "✗ $ make  exit 2",
        "  … 2 more lines",
        ...text(3, 12)
          .split("\n")
          .map((line) => `  ${line}`),
      ],
    ],
    [
      "a command of several lines by its first one",
      bash("cat <<E\na\nE"),
      end("Bash", { exitCode: 0, head: "a", lines: 1 }),
      ["✓ $ cat <<E … +2 lines", "  a"],
    ],
    [
      "a file that was read, with its lines",
      begin("Read", {}, "a.ts"),
      end("Read", { lines: 120 }),
      ["✓ Read a.ts  120 lines"],
    ],
    ["found files", begin("Glob", {}, "*.ts"), end("Glob", { lines: 1 }), ["✓ Glob *.ts  1 file"]],
    ["an edit of a very large file", begin("Edit", {}, "a.ts"), end("Edit", { lines: 1 }), ["✓ Edit a.ts"]],
    [
      "an edit, with what it changed",
      begin("Edit", {}, "a.ts"),
      end("Edit", {
        diff: {
          ...{ path: "/p/a.ts", isNew: false, added: 1, removed: 1, omitted: 0, isBinary: false },
          hunks: [{ oldStart: 4, oldLines: 2, newStart: 4, newLines: 2, lines: [" a", "-old", "+new"] }],
        },
      }),
      ["✓ Edit a.ts  +1 -1", "  4   a", "  5 - old", "  5 + new"],
    ],
    [
      "a denied call, with the reason",
      bash("rm -rf /"),
      end("Bash", { outcome: "denied", reason: "The user said no." }),
      ["⊘ $ rm -rf /", "  not allowed: The user said no."],
    ],
    [
      "a failure, with what the model read",
      begin("Read", {}, "none.ts"),
      end("Read", { outcome: "error", head: "none.ts does not exist.", lines: 1 }),
      ["✗ Read none.ts", "  none.ts does not exist."],
    ],
    [
      "nothing of an agent, which has its own line",
      begin("Agent", {}, "look"),
      end("Agent", { head: "report", lines: 9 }),
      [],
    ],
    [
      "the reason why an agent was not started",
      begin("Agent", {}, "look"),
      end("Agent", { outcome: "error", head: "There is no agent type x.", lines: 1 }),
      ["✗ Agent look", "  There is no agent type x."],
    ],
    [
      "not called done while it runs in the background",
      bash("npm start"),
      end("Bash", { head: "", lines: 0 }),
      ["● $ npm start  runs in the background; /tasks shows it"],
    ],
    [
      "no escape sequence of a command or its output",
      bash("echo \u001b[2J"),
      end("Bash", { exitCode: 0, head: "\u001b]0;title\u0007x", lines: 1 }),
      ["✓ $ echo", "  x"],
    ],
  ];

  test.each(cases)("is %s", (_, first, last, lines) => {
    const calls = createCallLines(plain, () => 0);
    expect(calls.onEvent(first, 80)).toEqual([]);
    expect(calls.onEvent(last, 80).map((line) => line.trimEnd())).toEqual(lines);
    expect(calls.running({ columns: 80, rows: 10, now: 0 })).toEqual([]);
  });

  test("while it runs is its command, its time and the last lines of its output; all that run together are shown", () => {
    const calls = createCallLines(plain, () => 0);
    calls.onEvent(bash("npm test"), 80);
    calls.onEvent(begin("Read", {}, "a.ts", 1), 80);
    calls.onEvent({ type: "call-progress", ...of(0), tool: "Bash", tail: "one\ntwo", lines: 2 }, 80);
    expect(calls.running({ columns: 80, rows: 10, now: 3_000 })).toEqual([
      "● $ npm test  3.0 s",
      "  one",
      "  two",
      "● Read a.ts  3.0 s",
    ]);
    expect(calls.running({ columns: 80, rows: 2, now: 3_000 })).toHaveLength(2);
  });

  test("while it runs keeps its command in view, whatever it prints", () => {
    const calls = createCallLines(plain, () => 0);
    calls.onEvent(bash("npm test"), 80);
    calls.onEvent({ type: "call-progress", ...of(0), tool: "Bash", tail: "1\n2\n3\n4\n5", lines: 5 }, 80);
    expect(calls.running({ columns: 80, rows: 3, now: 0 })).toEqual(["● $ npm test", "  4", "  5"]);
  });

  test("is nothing if its agent was stopped, which has a line of its own", () => {
    const calls = createCallLines(plain, () => 0);
    calls.onEvent(begin("Agent", {}, "look"), 80);
    calls.onEvent({ type: "agent", view: agentView({ id: actor(1), call: of().call }) }, 80);
    expect(calls.onEvent(end("Agent", { outcome: "error", head: "[Agent x ended]", lines: 1 }), 80)).toEqual(
      [],
    );
  });

  test("fits any terminal", () => {
    for (const columns of [20, 21, 80, 300]) {
      const calls = createCallLines(plain, () => 0);
      const wide = "表".repeat(200);
      calls.onEvent(bash(wide), columns);
      const running = calls.running({ columns, rows: 5, now: 9_000 });
      const kept = calls.onEvent(
        end("Bash", { exitCode: 1, head: wide, lines: 1, durationMs: 9_000 }),
        columns,
      );
      for (const row of [...running, ...kept]) expect(displayWidth(row)).toBeLessThanOrEqual(columns);
    }
  });
});
