import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../support/temporary.ts";
import { type Evidence, faultsIn } from "./checker.ts";
import { requestFaults } from "./checks/conversation.ts";
import { effectCommand } from "./checks/effects.ts";
import { MARK } from "./checks/remains.ts";

/** A small session that is as it should be: one agent in the background, and a command of the conversation. */
const usage = {
  input_tokens: 1,
  output_tokens: 1,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};
const receipts = { tools: {}, files: [], commands: [] };
const summary = { status: "done", text: "x", turns: 1, usage, receipts };
const text = (words: string) => ({ type: "text", text: words });
const turn = (n: number, messages: object[], heard: object[] = []) => ({
  turn: n,
  ...{ heard, messages, cwd: "/w", reads: [], usage, receipts },
});
const spec = (id: string, parent: string | null) => ({
  ...{
    id,
    parent,
    depth: 0,
    type: "worker",
    description: id,
    model: "m",
    maxTurns: 9,
    tools: [],
    system: [],
  },
  ...{ messages: [{ role: "user", content: "go" }], turns: [], heard: [], root: "/w", additionalDirs: [] },
  ...{ attempt: 1, maxTokens: 100 },
});
const call = { type: "tool_use", id: "t1", name: "Bash", input: { command: effectCommand("one", "/log") } };
const result = { type: "tool_result", tool_use_id: "t1", content: "ok" };
const EVENTS: readonly object[] = [
  { type: "session", version: 2, id: "abcdefghijklmnop", cwd: "/w", model: "m", title: "t" },
  { type: "spawn", spec: spec("main", null), call: null },
  { type: "spawn", spec: spec("agent0000000001a", "main"), call: "main.1.1", background: true },
  { type: "before", actor: "main", call: "main.1.0", tool: "Bash", input: call.input, decision: "go" },
  {
    type: "turn",
    actor: "main",
    turn: turn(1, [
      { role: "assistant", content: [call] },
      { role: "user", content: [result] },
    ]),
  },
  {
    type: "turn",
    actor: "agent0000000001a",
    turn: turn(1, [{ role: "assistant", content: [text("report")] }]),
  },
  { type: "summary", actor: "agent0000000001a", run: 1, summary, durationMs: 1 },
  {
    type: "turn",
    actor: "main",
    turn: turn(
      2,
      [{ role: "assistant", content: [text("heard")] }],
      [{ text: "told", of: ["result:agent0000000001a.1"], notice: true }],
    ),
  },
  { type: "summary", actor: "main", run: 1, summary, durationMs: 1 },
];
const linesOf = (events: readonly object[]) =>
  events.map((event, n) => `${JSON.stringify({ seq: n + 1, at: "2026-01-01T00:00:00.000Z", event })}\n`);

let folder = "";
let home = "";
beforeEach(() => {
  home = temporaryFolder("troupe-checker-");
  folder = join(home, "session");
  mkdirSync(folder);
});

function evidence(
  events: readonly object[],
  more: Partial<Evidence> = {},
  lines = linesOf(events),
): Evidence {
  writeFileSync(join(folder, "journal.jsonl"), lines.join(""));
  return {
    ...{ home, folder, before: [], requests: [], effects: ["one"], mark: home },
    ...{ peakMb: 1, maxMb: 2, ended: true },
    ...more,
  };
}

const without = (n: number) => EVENTS.filter((_, place) => place !== n);
const also = (n: number, event: object) => [...EVENTS.slice(0, n), event, ...EVENTS.slice(n)];
const at = (n: number): object => EVENTS[n] ?? {};

test("a session that is as it should be has no fault", () => {
  expect(faultsIn(evidence(EVENTS))).toEqual([]);
});

describe("what is planted is found", () => {
  test("a line that was durable and is gone, changed, torn, or numbered wrongly", () => {
    const whole = Buffer.from(linesOf(EVENTS).join(""));
    const torn = whole.subarray(0, whole.length - 5);
    expect(faultsIn(evidence(EVENTS, { before: [torn, whole] }))).toEqual([]);
    expect(faultsIn(evidence(without(8), { before: [torn, whole] }))).toContainEqual(
      expect.stringMatching(/whole at death 2/),
    );
    const lines = linesOf(EVENTS);
    expect(faultsIn(evidence([], {}, [...lines.slice(0, 5), ...lines.slice(6)]))).toContainEqual(
      expect.stringMatching(/line 6 of the journal is record 7/),
    );
    expect(faultsIn(evidence([], {}, [...lines, '{"seq":10']))).toContainEqual(expect.stringMatching(/torn/));
    expect(faultsIn(evidence([], {}, [...lines, "rubbish\n"]))).toContainEqual(
      expect.stringMatching(/line 10 .* no JSON/),
    );
  });

  test.each([
    ["no summary", without(6), /agent0000000001a\.1 has 0 summaries/],
    ["two summaries", also(7, at(6)), /agent0000000001a\.1 has 2 summaries/],
    ["a summary of nobody", also(7, { ...at(6), actor: "nobody0000000000" }), /never ran/],
    ["a turn twice", also(8, at(7)), /turn 2 of main is recorded where 3/],
    ["a run twice", also(3, at(2)), /began twice/],
    ["a result nobody heard", [...EVENTS.slice(0, 7), at(8)], /was never heard/],
    [
      "a result that was heard twice",
      also(8, {
        ...at(7),
        turn: { ...turn(3, []), heard: [{ text: "", of: ["result:agent0000000001a.1"] }] },
      }),
      /heard 2 times: turn 2 of main, turn 3 of main/,
    ],
    [
      "a result that was returned and told",
      EVENTS.map((event, n) => (n === 2 ? { ...event, background: undefined } : event)),
      /was returned, and told/,
    ],
  ] as const)("%s", (_name, events, words) => {
    expect(faultsIn(evidence(events))).toContainEqual(expect.stringMatching(words));
  });

  test("nothing may be doubled in a session that was cut off, but something may be missing", () => {
    expect(faultsIn(evidence(EVENTS.slice(0, 5), { ended: false }))).toEqual([]);
    expect(faultsIn(evidence(also(7, at(6)), { ended: false }))).toHaveLength(1);
  });

  test("a side effect that happened twice, too early, or otherwise than reported", () => {
    const effects = (...log: string[]) => faultsIn(evidence(EVENTS, { effects: log }));
    expect(effects("one", "one")).toEqual(["the side effect one happened 2 times"]);
    expect(effects("one", "other")).toEqual(["the side effect other happened before it was durable"]);
    expect(effects()).toEqual(["one was told to have run, and did not"]);
    const told = (content: string) =>
      EVENTS.map((event, n) =>
        n === 4
          ? {
              ...event,
              turn: turn(1, [
                { role: "assistant", content: [call] },
                { role: "user", content: [{ ...result, content, is_error: true }] },
              ]),
            }
          : event,
      );
    expect(faultsIn(evidence(told("Not allowed.")))).toEqual(["one was told not to have run, and did"]);
    expect(faultsIn(evidence(told("Result unknown: it died.")))).toEqual([]);
  });

  test("a process that is left, a lock that is held, a socket that is listened at, too much memory", async () => {
    const child = spawn("sleep", ["60"], { env: { ...process.env, [MARK]: home } });
    onTestFinished(() => void child.kill());
    await once(child, "spawn");
    writeFileSync(join(folder, "lock.3"), '{"pid":1,"startedAt":null}');
    writeFileSync(join(folder, "lock.4"), "");
    const server = createServer().listen(join(home, "live.sock"));
    onTestFinished(() => void server.close());
    await once(server, "listening");
    expect(faultsIn(evidence(EVENTS, { peakMb: 3 }))).toEqual([
      `process ${child.pid} is left`,
      "lock.3 still names a process",
      "2 lock files are left: lock.3, lock.4",
      `somebody still listens at ${home}/live.sock`,
      "a process had 3 MB, more than 2",
    ]);
  });
});

describe("a request that an API would refuse", () => {
  const user = (...content: object[]) => ({ role: "user", content });
  const assistant = (...content: object[]) => ({ role: "assistant", content });
  const faults = (...messages: object[]) => requestFaults(JSON.stringify({ messages }));
  const other = { ...result, tool_use_id: "t2" };

  test("one that is well has no fault", () => {
    expect(faults(user(text("go")), assistant(call), user(result, text("and")))).toEqual([]);
  });

  test.each([
    ["a call without a result", [user(text("go")), assistant(call), user(text("and"))], /t1 has 0 results/],
    ["two results", [user(text("go")), assistant(call), user(result, result)], /t1 has 2 results/],
    [
      "a result of nothing",
      [user(text("go")), assistant(call), user(result, other)],
      /t2, which was not called/,
    ],
    ["a late result", [user(text("go")), assistant(call), user(text("and"), result)], /before its results/],
    ["two of one role", [user(text("go")), user(text("go"))], /message 1 is the user's/],
    ["the last word is the model's", [user(text("go")), assistant(text("x"))], /is not the user's/],
    ["an empty message", [user()], /message 0 is empty/],
    [
      "one id twice",
      [user(text("go")), assistant(call), user(result), assistant(call), user(result)],
      /t1 is there twice/,
    ],
    ["half a character", [user(text("\ud83d"))], /half a character/],
    [
      "an odd name",
      [user(text("go")), assistant({ ...call, name: "No Such" }), user(result)],
      /No Such of a call/,
    ],
    [
      "an odd ID",
      [user(text("go")), assistant({ ...call, id: "t 1" }), user({ ...result, tool_use_id: "t 1" })],
      /the ID t 1 of a call is odd/,
    ],
  ] as const)("%s", (_name, messages, words) => {
    expect(faults(...messages)).toContainEqual(expect.stringMatching(words));
  });

  test("no JSON, no messages, half a character elsewhere", () => {
    expect(requestFaults('{"messages":')).toContainEqual(expect.stringMatching(/no JSON/));
    expect(requestFaults("{}")).toEqual(["a request has no messages"]);
    expect(requestFaults('{"messages":[{"role":"user","content":"x"}],"system":"\\ud83d"}')).toEqual([
      "a string of a request has half a character in it",
    ]);
  });
});
