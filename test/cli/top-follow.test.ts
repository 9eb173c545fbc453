import { type ChildProcess, spawn as startProcess } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { SupervisorEvent } from "../../src/events/event.ts";
import type { SessionEvent } from "../../src/journal/session-events.ts";
import { callId, MAIN, SessionId } from "../../src/mailbox/ids.ts";
import {
  ALICE,
  lineOf,
  linesOf,
  prompt,
  recordsOf,
  sessionEvent,
  spawn,
  summary,
  turnEvent,
} from "../journal/samples.ts";
import { FakeIO } from "./fake-io.ts";
import { type OpenSession, sessionOnDisk } from "./open-session.ts";

const ID = SessionId.parse("follow000001");
const read = callId(ALICE, 1, 0);
const bash = callId(ALICE, 1, 1);

const story: readonly SessionEvent[] = [
  sessionEvent({ id: ID }),
  spawn(MAIN, {
    parent: null,
    depth: 0,
    type: "main",
    description: "main conversation",
    messages: [{ role: "user", content: "look\nat it \u001b[2J" }],
  }),
  { type: "start", actor: MAIN, attempt: 1 },
  spawn(ALICE, {
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "<system-reminder>\nSkills\n</system-reminder>" },
          { type: "text", text: "task of alice" },
        ],
      },
    ],
  }),
  { type: "start", actor: ALICE, attempt: 1 },
  {
    type: "before",
    actor: ALICE,
    call: read,
    tool: "Read",
    input: { file_path: "/w/src/a.ts" },
    decision: "go",
  },
  { type: "before", actor: ALICE, call: bash, tool: "Bash", input: { command: "npm test" }, decision: "go" },
  { type: "after", actor: ALICE, call: read, isError: false },
  {
    type: "after",
    actor: ALICE,
    call: bash,
    isError: true,
    result: { content: "exit 1\nno tests", isError: true },
  },
  turnEvent(ALICE, 1, "", {
    messages: [
      {
        role: "assistant",
        content: [
          { type: "text", text: "I read it first." },
          { type: "tool_use", id: "a", name: "Read", input: {} },
          { type: "tool_use", id: "b", name: "Bash", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "1\tone" },
          { type: "tool_result", tool_use_id: "b", content: "exit 1", is_error: true },
        ],
      },
    ],
  }),
  {
    type: "before",
    actor: ALICE,
    call: callId(ALICE, 2, 0),
    tool: "Bash",
    input: { command: "rm -rf /" },
    decision: "refuse",
    reason: "never",
  },
  turnEvent(ALICE, 2, "the answer"),
  { type: "summary", actor: ALICE, summary: summary("found\nit"), durationMs: 1500 },
  { type: "command", actor: MAIN, task: "b1", title: "npm run dev", path: "/o" },
  { type: "command-end", actor: MAIN, task: "b1", ending: "It was stopped." },
  prompt("and then?"),
  {
    type: "summary",
    actor: MAIN,
    summary: summary("", { status: "failed", reason: "No model." }),
    durationMs: 2500,
  },
  { type: "end", status: "failed", agents: 1 },
];

function sessionIn(text: string) {
  return sessionOnDisk({ id: ID, text });
}

function follow({ id, home }: OpenSession, ...flags: readonly string[]) {
  const io = new FakeIO({ env: { TROUPE_HOME: home } });
  return { io, code: main(["sessions", "show", id, "--follow", ...flags], io) };
}

/** Time passes until the output has this, whether the system tells of changes or not. */
async function until(io: FakeIO, what: string): Promise<void> {
  await expect
    .poll(async () => {
      await io.clock.advance(500);
      return io.out.text + io.err.text;
    })
    .toContain(what);
}

/** Time passes until it has ended. */
async function ended(io: FakeIO, code: Promise<number>): Promise<number> {
  let over = false;
  code.then(() => {
    over = true;
  });
  while (!over) await io.clock.advance(500);
  return code;
}

describe("troupe sessions show --follow", () => {
  test("tells prompts, starts and ends, calls with their titles, and results in one line each", async () => {
    const session = sessionIn(linesOf(story));
    const { io, code } = follow(session);
    expect(await code).toBe(0);
    expect(io.out.text).toMatchInlineSnapshot(`
      "00:00:00  Session follow000001  hi  /w  sonnet
      00:00:01  main conversation  is asked: look at it
      00:00:02  main conversation  started
      00:00:03  Explore · look at alice  is asked by main conversation: task of alice
      00:00:04  Explore · look at alice  started
      00:00:05  Explore · look at alice  Read src/a.ts
      00:00:06  Explore · look at alice  $ npm test
      00:00:08  Explore · look at alice  ↳ $ npm test: failed: exit 1 no tests
      00:00:09  Explore · look at alice  ↳ Read src/a.ts: 1 one
      00:00:09  Explore · look at alice  says: I read it first.
      00:00:00  Explore · look at alice  $ rm -rf /
      00:00:00  Explore · look at alice  ⊘ $ rm -rf /: not allowed: never
      00:00:02  Explore · look at alice  ✓ done (2 turns · 51 tok · 1.5 s): found it
      00:00:03  main conversation  runs in the background: npm run dev (b1)
      00:00:04  main conversation  b1 in the background: It was stopped.
      00:00:05  main conversation  is asked: and then?
      00:00:06  main conversation  ✗ failed (2 turns · 51 tok · 2.5 s): No model.
      00:00:07  The session has ended: failed.
      "
    `);
    expect([io.err.text, io.signalListeners, io.clock.pending]).toEqual(["", 0, 0]);
  });

  test("--json prints the events, one line each, with their times", async () => {
    const session = sessionIn(linesOf(story));
    const { io, code } = follow(session, "--json");
    expect(await code).toBe(0);
    const lines = io.out.text.split("\n").slice(0, -1);
    const events = lines.map((line) => JSON.parse(line));
    for (const { at: _, ...event } of events) SupervisorEvent.parse(event);
    expect(events[0]).toMatchObject({ at: "2026-01-01T00:00:00.000Z", type: "session", id: ID });
    expect(events.filter(({ type }) => type === "call-end")).toMatchObject([
      { tool: "Bash", outcome: "error", head: "exit 1\nno tests" },
      { tool: "Read", outcome: "ok", head: "1\tone" },
      { tool: "Bash", outcome: "denied", reason: "never" },
    ]);
  });

  test("goes on as it grows, waits for a torn last line, and ends with the session", async () => {
    const all = linesOf(story);
    const cut = all.indexOf("npm test") + 3;
    const session = sessionIn(all.slice(0, 300));
    const release = session.open();
    const { io, code } = follow(session);
    await until(io, "Session follow000001");
    appendFileSync(session.path, all.slice(300, cut));
    await until(io, "Read src/a.ts");
    expect(io.out.text).not.toContain("Bash");
    appendFileSync(session.path, all.slice(cut, -10));
    await until(io, "failed (2 turns");
    appendFileSync(session.path, all.slice(-10));
    await until(io, "The session has ended: failed.");
    expect([io.out.text.match(/\$ npm test/g)?.length, io.err.text]).toEqual([2, ""]);
    release();
    expect(await ended(io, code)).toBe(0);
    expect([io.signalListeners, io.clock.pending]).toEqual([0, 0]);
  });

  test("follows a session that was resumed past its first end", async () => {
    const session = sessionIn(linesOf(story));
    session.open();
    const { io, code } = follow(session);
    await until(io, "The session has ended");
    const more = recordsOf([...story, sessionEvent({ id: ID }), prompt("again")]).slice(story.length);
    appendFileSync(session.path, more.map(lineOf).join(""));
    await until(io, "was resumed");
    await until(io, "is asked: again");
    io.send("SIGINT");
    expect(await code).toBe(130);
    expect([io.signalListeners, io.clock.pending]).toEqual([0, 0]);
  });

  test("shows what was written again after the writer cut off what a full disk had torn", async () => {
    const all = linesOf(story).split("\n");
    const session = sessionIn(`${all.slice(0, 3).join("\n")}\n`);
    session.open();
    const { io, code } = follow(session);
    await until(io, "started");
    writeFileSync(session.path, `${all.slice(0, 2).join("\n")}\n{\n`);
    await until(io, "was left out");
    appendFileSync(session.path, `${all.slice(2, 4).join("\n")}\n`);
    await until(io, "task of alice");
    expect(io.out.text.match(/ started\n/g)).toHaveLength(1);
    io.send("SIGTERM");
    expect(await code).toBe(143);
  });

  test("says so when the session's process is killed, and leaves its torn last line out", {
    tags: ["long"],
  }, async () => {
    const session = sessionIn("");
    const child = await writing(session.home, session.path, linesOf(story).slice(0, 900));
    const { io, code } = follow(session);
    await until(io, "Session follow000001");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await ended(io, code)).toBe(1);
    expect(io.err.text).toBe(
      "Session follow000001 is no longer running and was not ended: its process was killed. Resume it with troupe --resume follow000001.\n",
    );
  });

  test("says what cannot be read, damaged lines and newer journals", async () => {
    const lines = linesOf(story).split("\n");
    const damaged = sessionIn([lines[0], "{torn", ...lines.slice(1)].join("\n"));
    const { io, code } = follow(damaged);
    expect(await code).toBe(0);
    expect(io.err.text).toMatch(/^A line of .*journal\.jsonl is torn or not JSON and was left out\.\n$/);
    const newer = follow(sessionIn(linesOf([sessionEvent({ id: ID, version: 99 })])));
    expect(await newer.code).toBe(1);
    expect(newer.io.err.text).toContain("was written by a newer Troupe");
  });
});

/** Another process that has the session open, has written this much, and waits to be killed. */
async function writing(home: string, path: string, text: string): Promise<ChildProcess> {
  const source = join(import.meta.dirname, "../../src");
  const program = `
    import { appendFileSync } from "node:fs";
    import { dirname } from "node:path";
    import { processIdentity } from "${source}/journal/process-identity.ts";
    import { lockSession } from "${source}/journal/session-lock.ts";
    const [home, path, text] = process.argv.slice(1);
    lockSession({ home, folder: dirname(path) }, processIdentity(process.pid));
    appendFileSync(path, text);
    process.send("written");
    setInterval(() => {}, 1000);`;
  const child = startProcess(
    process.execPath,
    ["--input-type=module-typescript", "-e", program, home, path, text],
    {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "message");
  return child;
}
