import { describe, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/arguments.ts";
import { topCommand } from "../../src/cli/commands/sessions.ts";
import { UsageError } from "../../src/cli/exit-codes.ts";
import { lazyRuntime } from "../../src/cli/runtime.ts";
import { SessionView } from "../../src/cli/top/session-view.ts";
import { notCompacted } from "../../src/context/compaction/compacted-view.ts";
import { JournalEvents } from "../../src/features/events/journal-events.ts";
import { writeWaiting } from "../../src/features/inbox/waiting-file.ts";
import type { SessionEvent } from "../../src/journal/session-events.ts";
import { ActorId, callId, MAIN } from "../../src/mailbox/ids.ts";
import { ALICE, BOB, sessionEvent, spawn, summary, turnEvent, usage } from "../journal/samples.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { FakeIO, type FakeIOOptions } from "./fake-io.ts";
import { type OpenSession, sessionOnDisk } from "./open-session.ts";

function top(home: string, argv: readonly string[], options: FakeIOOptions = {}) {
  const io = new FakeIO({ cwd: "/w", ...options, env: { TROUPE_HOME: home, ...options.env } });
  const args = parseArguments(argv, topCommand.options);
  return { io, code: topCommand.run(args, { io, runtime: lazyRuntime, startedAt: 0 }) };
}

async function whileTimePasses(io: FakeIO, code: Promise<number>): Promise<number> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  code.then(end, end);
  while (!isOver) await io.clock.advance(200);
  return code;
}

const CAROL = ActorId.parse("carol");
const bash = callId(ALICE, 2, 0);

/** The main conversation waits for one agent that runs a command, one in the queue and one that failed. */
const events: readonly SessionEvent[] = [
  spawn(MAIN, { parent: null, depth: 0, type: "main", description: "main conversation" }),
  { type: "start", actor: MAIN, attempt: 1 },
  {
    type: "before",
    actor: MAIN,
    call: callId(MAIN, 1, 0),
    tool: "Agent",
    input: { description: "look", prompt: "look" },
    decision: "go",
  },
  spawn(ALICE, { description: "evil \u001b[2J\u202e\ntitle", model: "claude-haiku-4-5" }),
  { type: "start", actor: ALICE, attempt: 1 },
  turnEvent(ALICE, 1, "", { usage: usage(1_000_000) }),
  { type: "before", actor: ALICE, call: bash, tool: "Bash", input: { command: "npm test" }, decision: "go" },
  spawn(BOB, { parent: ALICE, depth: 2, description: "next" }),
  spawn(CAROL),
  { type: "start", actor: CAROL, attempt: 1 },
  {
    type: "summary",
    actor: CAROL,
    summary: summary("", { status: "failed", reason: "No model." }),
    durationMs: 5,
  },
];

function running(options: Parameters<typeof sessionOnDisk>[0] = {}): OpenSession {
  const session = sessionOnDisk(options);
  session.open();
  session.write(sessionEvent({ id: session.id, cwd: options.cwd ?? "/w" }), ...events);
  return session;
}

describe("troupe top (C20, D13)", () => {
  test("prints once without a terminal: which agent runs which call, turns, tokens, cost, time and silence", async () => {
    const { home } = running();
    const { io, code } = top(home, []);
    expect(await code).toBe(0);
    expect(io.out.text.replace(/pid \d+/, "pid N")).toMatchInlineSnapshot(`
      "Session follow000001  /w  sonnet  pid N
      4 agents · 1.0M tokens · $1.00 · up 1 min 00 s · 1 running, 1 waiting, 1 queued, 1 ended otherwise
      ◐ main conversation       Agent general-purpose:…                                                 0 turns · 0 tok · 58 s
        ● evil <U+202E> title   Bash npm test             claude-haiku-4-5 · 1 turn · 1.0M tok · $1.00 · 55 s · quiet for 53 s
          ○ Explore · next      queued                                                                  0 turns · 0 tok · 52 s
        ✗ look at carol         failed: No model.                                                     2 turns · 51 tok · 0.0 s
      "
    `);
    expect([io.err.text, io.signalListeners, io.clock.pending]).toEqual(["", 0, 0]);
  });

  test("an agent whose question is open waits for the user, and is not silent", async () => {
    const session = running();
    const asks = { actor: ALICE, call: callId(ALICE, 3, 0), tool: "AskUserQuestion", input: {} } as const;
    session.write(turnEvent(ALICE, 2, ""), { type: "before", ...asks, decision: "go" });
    const { io, code } = top(session.home, []);
    expect(await code).toBe(0);
    expect(io.out.text).toMatch(/ ◐ .*evil .* waiting for your answer /);
    expect(io.out.text).not.toContain("quiet for");
  });

  test("an agent that asks whether a call may run waits for the user, and where to answer is said", async () => {
    const session = running();
    session.write({ type: "after", actor: ALICE, call: bash, isError: false });
    const request = {
      ...{ type: "permission", tool: "Bash", title: "make", reason: "no rule", grants: [], details: [] },
      askers: [{ actor: ALICE, path: ["main conversation", "general-purpose"] }],
    };
    writeWaiting(session.folder, JSON.stringify({ id: "ask1", since: "2030-01-01", request }), "ask1");
    const { io, code } = top(session.home, []);
    expect(await code).toBe(0);
    expect(io.out.text).toMatch(/ ◐ .*evil .* waiting for your answer /);
    expect(io.out.text).toMatch(/ · 2 waiting, 1 queued, 1 ended otherwise · to answer: troupe inbox\n/);
  });

  test("--json --once is one object with all agents", async () => {
    const { home, id } = running();
    const { io, code } = top(home, [id, "--json", "--once"]);
    expect(await code).toBe(0);
    expect(JSON.parse(io.out.text)).toMatchObject({
      ...{ session: id, cwd: "/w", model: "sonnet", pid: process.pid, startedAt: "2029-12-31T23:59:00.000Z" },
      costUsd: 1.000005,
      agents: [
        { id: MAIN, state: "waiting", activity: { type: "tool", tool: "Agent" } },
        {
          id: ALICE,
          parent: MAIN,
          turns: 1,
          activity: { tool: "Bash", title: "npm test" },
          costUsd: 1.000005,
        },
        { id: BOB, state: "queued", startedAt: null },
        { id: CAROL, state: "ended", summary: { status: "failed" } },
      ],
    });
  });

  test("--json prints a line per change, with the agents that changed, until the session ends", async () => {
    const session = sessionOnDisk();
    const close = session.open();
    session.write(sessionEvent({ id: session.id }), ...events);
    const { io, code } = top(session.home, ["follow", "--json"]);
    const lines = () =>
      io.out.text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    const poll = async () => {
      await io.clock.advance(200);
      return lines().length;
    };
    await expect.poll(poll).toBe(1);
    session.write({ type: "after", actor: ALICE, call: bash, isError: false });
    await expect.poll(poll).toBe(2);
    session.write({ type: "end", status: "done" });
    close();
    expect(await whileTimePasses(io, code)).toBe(0);
    expect(lines()[0].agents).toHaveLength(4);
    expect(lines()[1].agents).toMatchObject([{ id: ALICE, activity: { type: "model" } }]);
  });

  test("ends with the exit code of a signal, and with 1 if the session's process was killed", async () => {
    const session = sessionOnDisk();
    const close = session.open();
    session.write(sessionEvent({ id: session.id }), ...events);
    const stopped = top(session.home, ["--json"]);
    await expect.poll(() => stopped.io.out.text).not.toBe("");
    stopped.io.send("SIGINT");
    expect(await stopped.code).toBe(130);
    expect([stopped.io.signalListeners, stopped.io.clock.pending]).toEqual([0, 0]);
    const { io, code } = top(session.home, ["--json"]);
    await expect.poll(() => io.out.text).not.toBe("");
    close();
    expect(await whileTimePasses(io, code)).toBe(1);
    expect(io.err.text).toContain("its process was killed. Resume it with troupe --resume follow000001.");
  });

  test("takes the only session of this directory, then the only one of all, else lists them with exit code 2", async () => {
    const home = temporaryFolder();
    running({ home, id: "one000000001", cwd: "/one" });
    const two = sessionOnDisk({ home, id: "two000000001", cwd: "/two" });
    const close = two.open();
    two.write(sessionEvent({ id: two.id, cwd: "/two\u001b[2J" }));
    const sessionShown = async (...[argv, cwd]: [string[], string]) => {
      const { io, code } = top(home, [...argv, "--json", "--once"], { cwd });
      expect(await code).toBe(0);
      return JSON.parse(io.out.text).session;
    };
    expect(await sessionShown([], "/one")).toBe("one000000001");
    expect(await sessionShown(["two"], "/one")).toBe("two000000001");
    const elsewhere = top(home, [], { cwd: "/three" });
    expect(await elsewhere.code).toBe(2);
    expect(elsewhere.io.out.text).toBe("");
    expect(elsewhere.io.err.text).toMatch(
      /^More than one session is running; say which: troupe top ID\n(?: {2}(?:one|two)0+1 .* pid \d+ {2}\/\w+\n){2}$/,
    );
    close();
    expect(await sessionShown([], "/three")).toBe("one000000001");
  });

  test("says that no session is running, or how to see what one did that has ended", async () => {
    const none = top(temporaryFolder(), []);
    expect(await none.code).toBe(1);
    expect(none.io.err.text).toBe(
      "No session is running; troupe sessions list shows what was done before.\n",
    );
    const { home, id, write } = sessionOnDisk({ id: "ended0000001" });
    write(sessionEvent({ id: "ended0000001" as never }), { type: "end", status: "done" });
    const ended = top(home, ["ended"]);
    expect(await ended.code).toBe(1);
    expect(ended.io.err.text).toBe(
      `Session ${id} is not running; troupe sessions show ${id} shows what it did.\n`,
    );
    await expect(top(home, ["unknown"]).code).rejects.toThrow(UsageError);
  });

  test("prints once on a terminal that can only print, and with NO_COLOR without colours", async () => {
    const { home } = running();
    for (const env of [{ TERM: "dumb" }, { TROUPE_PLAIN: "1", NO_COLOR: "1" }, { NO_COLOR: "1" }]) {
      const once = Object.keys(env).length === 1 && "NO_COLOR" in env ? ["--once"] : [];
      const { io, code } = top(home, once, { stdoutIsTTY: true, env });
      expect(await code).toBe(0);
      expect(io.out.text).toContain("Bash npm test");
      expect(io.out.text).not.toContain("\u001b");
    }
  });
});

test("agents whose model is paused are shown as paused until its time, whatever they record before", () => {
  const view = new SessionView();
  const events = new JournalEvents();
  const start = Date.UTC(2026, 0, 1);
  let seq = 0;
  const at = (ms: number, event: SessionEvent) => {
    seq += 1;
    for (const one of events.of({ seq, at: new Date(start + ms).toISOString(), event })) view.apply(one);
    return view.agents.map(({ state }) => state);
  };
  at(0, sessionEvent({}));
  for (const [id, model] of [
    [ALICE, "claude-haiku-4-5"],
    [BOB, "sonnet"],
  ] as const) {
    at(0, spawn(id, { model }));
    at(1, { type: "start", actor: id, attempt: 1 });
  }
  const pause = {
    model: "claude-haiku-4-5",
    until: start + 60_000,
    since: start,
    reason: "The limit is reached.",
  };
  expect(at(10, { type: "paused", pause })).toEqual(["paused", "running"]);
  expect(at(20, turnEvent(ALICE, 1, ""))).toEqual(["paused", "running"]);
  expect(at(60_001, turnEvent(ALICE, 2, ""))).toEqual(["running", "running"]);
});

test("counts what summaries have cost once, though each record has the usage of all so far", () => {
  const view = new SessionView();
  const events = new JournalEvents();
  const apply = (event: SessionEvent) => {
    for (const one of events.of({ seq: 1, at: "2026-01-01T00:00:00.000Z", event })) view.apply(one);
  };
  const compacted = (tokens: number): SessionEvent => ({
    ...{ type: "compacted", actor: ALICE },
    compacted: { ...notCompacted("/w"), usage: usage(tokens) },
  });
  apply(spawn(ALICE, { model: "claude-haiku-4-5" }));
  for (const tokens of [1_000_000, 1_000_000, 3_000_000]) apply(compacted(tokens));
  expect(view.costUsd).toBeCloseTo(3, 3);
  expect(view.agents[0]?.costUsd).toBe(view.costUsd);
});
