// @module-tag long
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CallBeginEvent, CallEndEvent } from "../../../src/events/call.ts";
import { SupervisorEvent } from "../../../src/events/event.ts";
import { JournalEvents } from "../../../src/features/events/journal-events.ts";
import { journalFile } from "../../../src/journal/paths.ts";
import { readJournal } from "../../../src/journal/reader.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { ScriptedCall } from "../../../src/model/scripted.ts";
import type { SupervisorOptions } from "../../../src/session/options.ts";
import { everyDayHosts, type HostName, seeded, shippedHosts, supervised } from "../../support/supervised.ts";

const begins = (events: readonly SupervisorEvent[]) =>
  events.filter((event): event is CallBeginEvent => event.type === "call-begin");
const ends = (events: readonly SupervisorEvent[]) =>
  events.filter((event): event is CallEndEvent => event.type === "call-end");
const hasResults = ({ messages }: ModelRequest) => messages.some(({ role }) => role === "assistant");

/** One reply with these calls, then an answer. */
function calling(
  calls: readonly ScriptedCall[],
  options: Parameters<typeof supervised>[2] = {},
  host: HostName = shippedHosts[0] ?? "worker threads",
) {
  const files = { "a.txt": "one\ntwo\nthree\n" };
  return supervised(host, (request) => (hasResults(request) ? { text: "Done." } : { calls }), {
    files,
    ...options,
  });
}

/** Every begin has one end after it, with the same call, and both come before the message with the result. */
function expectPaired(events: readonly SupervisorEvent[]): void {
  // The schema has every field: a program that checks an event loses nothing.
  for (const event of events) expect(SupervisorEvent.parse(event)).toEqual(event);
  const begun = begins(events).map(({ call }) => call);
  expect(
    ends(events)
      .map(({ call }) => call)
      .toSorted(),
  ).toEqual(begun.toSorted());
  expect(new Set(begun).size).toBe(begun.length);
  for (const { call, toolUse } of begins(events)) {
    const at = (type: SupervisorEvent["type"]) =>
      events.findIndex((event) => event.type === type && "call" in event && event.call === call);
    const message = events.findIndex(
      (event) =>
        event.type === "message" && JSON.stringify(event.content).includes(`"tool_use_id":"${toolUse}"`),
    );
    expect(at("call-begin")).toBeLessThan(at("call-end"));
    if (message >= 0) expect(at("call-end")).toBeLessThan(message);
  }
}

describe("the events of calls (issue 21, 1)", () => {
  test("an agent's view says which call its model is writing, and no longer once it has run", async () => {
    const { supervisor, events } = calling([{ name: "Read", input: { file_path: "/nowhere" } }]);
    await supervisor.prompt("go");
    const activities = events.flatMap((event) => (event.type === "agent" ? [event.view.activity] : []));
    const writes = activities.findIndex((one) => one.type === "model" && one.writes === "Read");
    expect(writes).toBeGreaterThan(-1);
    const later = activities.slice(activities.findIndex(({ type }) => type === "tool"));
    expect(later.filter((one) => one.type === "model" && one.writes !== undefined)).toEqual([]);
  });

  test.each<[string, ScriptedCall]>([
    ["for a permission", { name: "Bash", input: { command: "touch b" } }],
    [
      "with a question",
      {
        name: "AskUserQuestion",
        input: {
          questions: [
            {
              ...{ question: "Which?", header: "h", multiSelect: false },
              options: ["a", "b"].map((label) => ({ label, description: label })),
            },
          ],
        },
      },
    ],
  ])("an agent's view says that it waits for the user when it asks %s", async (_, call) => {
    const seen: unknown[] = [];
    const { supervisor } = calling([call], {
      person: {
        async ask() {
          const [view] = supervisor.tree();
          seen.push([view?.state, view?.activity]);
          return { type: "unavailable", reason: "No user is connected." };
        },
      },
    });
    await supervisor.prompt("go");
    expect(seen).toEqual([["waiting", { type: "asking" }]]);
  });

  const allowed: Partial<SupervisorOptions> = { allowedTools: ["Bash", "Write"] };
  const cases: readonly (readonly [string, ScriptedCall, Partial<CallBeginEvent>, Partial<CallEndEvent>])[] =
    [
      [
        "a command: the command itself, what it is for, its output and exit code",
        { name: "Bash", input: { command: "echo out; exit 3", description: "Says out" } },
        { tool: "Bash", title: "echo out; exit 3", description: "Says out" },
        { outcome: "ok", head: "out", lines: 1, exitCode: 3 },
      ],
      [
        "a file that is read",
        { name: "Read", input: { file_path: "$CWD/a.txt" } },
        { tool: "Read", title: "a.txt" },
        { outcome: "ok", lines: 3 },
      ],
      [
        "a file that is written, with its change",
        { name: "Write", input: { file_path: "$CWD/a.txt", content: "one\n2\nthree\n" } },
        { tool: "Write", title: "a.txt" },
        {
          outcome: "ok",
          diff: expect.objectContaining({
            ...{ added: 1, removed: 1 },
            hunks: [expect.objectContaining({ lines: [" one", "-two", "+2", " three"] })],
          }),
        },
      ],
      [
        "a tool that fails",
        { name: "Read", input: { file_path: "$CWD/none.txt" } },
        { tool: "Read", title: "none.txt" },
        { outcome: "error", head: expect.stringContaining("none.txt") },
      ],
      [
        "a denied call: what it is, and the reason",
        { name: "NotebookEdit", input: { notebook_path: "$CWD/b.ipynb", new_source: "b" } },
        { tool: "NotebookEdit", title: "b.ipynb", input: { notebook_path: "$CWD/b.ipynb", new_source: "b" } },
        { outcome: "denied", reason: expect.stringMatching(/\w/), head: "" },
      ],
      [
        "a tool that does not exist",
        { name: "Nothing", input: {} },
        { tool: "Nothing", title: "Nothing" },
        { outcome: "invalid", head: expect.stringContaining("Nothing") },
      ],
      [
        "input that does not fit",
        { name: "Read", input: { path: 3 } },
        { tool: "Read", input: { path: 3 } },
        { outcome: "invalid", head: expect.stringContaining("file_path") },
      ],
    ];

  test.each(cases)("are one begin and one end of %s", async (_, call, begin, end) => {
    const inFolder = <T>(value: T, cwd: string): T =>
      JSON.parse(JSON.stringify(value).replaceAll("$CWD", cwd));
    const made = supervised(
      shippedHosts[0] ?? "worker threads",
      (request) => (hasResults(request) ? { text: "Done." } : { calls: [inFolder(call, made.cwd)] }),
      { files: { "a.txt": "one\ntwo\nthree\n" }, ...allowed },
    );
    await made.supervisor.prompt("go");
    expectPaired(made.events);
    const { input, ...others } = begin;
    expect(begins(made.events)).toMatchObject([{ turn: 1, ...others }]);
    if (input !== undefined) expect(begins(made.events)[0]?.input).toEqual(inFolder(input, made.cwd));
    expect(ends(made.events)).toMatchObject([end]);
  });

  test("have what a hook made of the input, and the model's words are in its message", async () => {
    const said =
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"echo hook"}}}';
    const hook = { type: "command", command: `echo '${said}'` };
    const made = calling([{ name: "Bash", input: { command: "echo model" } }], {
      ...allowed,
      hooks: [{ scope: "user", file: "/settings.json", value: { PreToolUse: [{ hooks: [hook] }] } }],
    });
    await made.supervisor.prompt("go");
    expect(begins(made.events)).toMatchObject([{ title: "echo hook", input: { command: "echo hook" } }]);
    expect(ends(made.events)).toMatchObject([{ head: "hook" }]);
    const message = made.events.find((event) => event.type === "message" && event.role === "assistant");
    expect(JSON.stringify(message)).toContain("echo model");
  });

  test("name the agent, and the call that started it", async () => {
    const made = supervised(
      shippedHosts[0] ?? "worker threads",
      (request) => {
        if (hasResults(request)) return { text: "Done." };
        if (JSON.stringify(request.messages).includes("look at a"))
          return { calls: [{ name: "Read", input: { file_path: `${made.cwd}/a.txt` } }] };
        return {
          calls: [
            { name: "Agent", input: { subagent_type: "Explore", description: "look", prompt: "look at a" } },
          ],
        };
      },
      { files: { "a.txt": "one\n" } },
    );
    await made.supervisor.prompt("go");
    const [agent, read] = begins(made.events);
    expect([agent?.tool, read?.tool]).toEqual(["Agent", "Read"]);
    const view = made.events.findLast((event) => event.type === "agent" && event.view.id === read?.actor);
    expect(view).toMatchObject({ view: { call: agent?.call, state: "ended" } });
    expectPaired(made.events);
  });

  test("end as stopped if the agent is stopped while its command runs", async () => {
    const events: SupervisorEvent[] = [];
    const made = calling([{ name: "Bash", input: { command: "sleep 600" } }], {
      ...allowed,
      onEvent(event) {
        events.push(event);
        if (event.type === "call-begin") queueMicrotask(() => made.supervisor.cancel(MAIN, "enough"));
      },
    });
    await made.supervisor.prompt("go");
    expectPaired(events);
    expect(ends(events)).toMatchObject([{ tool: "Bash", outcome: "stopped" }]);
  });

  test("show the last lines of a command while it runs", async () => {
    const events: SupervisorEvent[] = [];
    // It continues when the event was seen.
    const command = "seq 1 9; until [ -e go ]; do sleep 0.01; done; echo last";
    const made = calling([{ name: "Bash", input: { command } }], {
      ...allowed,
      onEvent(event) {
        events.push(event);
        if (event.type === "call-progress") writeFileSync(join(made.cwd, "go"), "");
      },
    });
    await made.supervisor.prompt("go");
    const [progress] = events.filter((event) => event.type === "call-progress");
    expect(progress).toMatchObject({ tool: "Bash", tail: "5\n6\n7\n8\n9", lines: 9 });
    expect(ends(events)).toMatchObject([{ outcome: "ok", lines: 10, exitCode: 0 }]);
  });

  test.each(everyDayHosts)(
    "are paired whatever an agent calls, and whenever it is stopped (%s)",
    async (host) => {
      for (let seed = 1; seed <= 12; seed += 1) {
        const next = seeded(seed);
        const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
        const kinds: readonly ScriptedCall[] = [
          { name: "Glob", input: { pattern: "*.txt" } },
          { name: "Grep", input: { pattern: "one" } },
          { name: "Write", input: { file_path: "/etc/no", content: "" } },
          { name: "Nothing", input: {} },
          { name: "Read", input: {} },
          { name: "TodoWrite", input: { todos: [] } },
        ];
        const stopAfter = Math.floor(next() * 12);
        const seen: SupervisorEvent[] = [];
        const made = supervised(
          host,
          () =>
            next() < 0.3
              ? { text: "Done." }
              : { calls: Array.from({ length: 1 + Math.floor(next() * 4) }, () => pick(kinds)) },
          {
            files: { "a.txt": "one\n" },
            onEvent(event) {
              seen.push(event);
              if (event.type === "call-end" && ends(seen).length === stopAfter)
                queueMicrotask(() => made.supervisor.cancel(MAIN, "enough"));
            },
            limits: { maxTurns: 6 },
          },
        );
        await made.supervisor.prompt("go");
        expectPaired(seen);
      }
    },
  );
});

describe("the events of a journal (issue 21, 2)", () => {
  /** Without what is not recorded. */
  const recorded = (events: readonly SupervisorEvent[]) =>
    events.flatMap((event): object[] => {
      switch (event.type) {
        case "session": {
          const { mode: _, ...session } = event;
          return [session];
        }
        case "call-end": {
          const { durationMs: _, diff: __, ...end } = event;
          return [end];
        }
        case "call-begin":
        case "message":
        case "prompt":
        case "command":
          return [event];
        default:
          return [];
      }
    });
  const sorted = (events: readonly object[]) => events.map((event) => JSON.stringify(event)).toSorted();

  test("are those that the session has reported, but for what is not recorded", async () => {
    const look = { subagent_type: "Explore", description: "look", prompt: "look at a" };
    const made = supervised(
      shippedHosts[0] ?? "worker threads",
      (request) => {
        const isAgent = JSON.stringify(request.messages).includes("look at a") && request.actor !== MAIN;
        if (hasResults(request)) return { text: "Done." };
        if (isAgent) return { calls: [{ name: "Grep", input: { pattern: "one" } }] };
        return {
          text: "I look.",
          calls: [
            { name: "Bash", input: { command: "seq 1 60; exit 3", description: "Counts" } },
            { name: "Bash", input: { command: "true" } },
            { name: "Write", input: { file_path: `${made.cwd}/a.txt`, content: "1\n" } },
            { name: "Read", input: { file_path: `${made.cwd}/none.txt` } },
            { name: "NotebookEdit", input: { notebook_path: `${made.cwd}/b.ipynb`, new_source: "b" } },
            { name: "TaskCreate", input: { subject: "Look", description: "all of it" } },
            { name: "TaskUpdate", input: { taskId: "1", status: "in_progress" } },
            { name: "TaskList", input: {} },
            { name: "Nothing", input: {} },
            { name: "Agent", input: look },
          ],
        };
      },
      { files: { "a.txt": "one\n" }, allowedTools: ["Bash", "Write"] },
    );
    await made.supervisor.prompt("go");
    await made.supervisor.prompt("and now?");
    await made.supervisor.close();
    const journal = await readJournal(journalFile(made.supervisor.folder));
    if (journal.type !== "read") throw new Error(journal.reason);
    const events = new JournalEvents();
    const projected = journal.records.flatMap((record) => events.of(record));
    expectPaired(projected);
    expect(sorted(recorded(projected))).toEqual(sorted(recorded(made.events)));
    const ended = (all: readonly SupervisorEvent[]) =>
      [
        ...new Map(
          all.flatMap((event) => (event.type === "agent" ? [[event.view.id, event.view]] : [])),
        ).values(),
      ].map(({ id, parent, call, state, turns, usage, costUsd, summary }) => ({
        ...{ id, parent, call, state, turns, usage, costUsd: costUsd.toFixed(6), summary },
      }));
    expect(ended(projected)).toEqual(ended(made.events));
  });
});
