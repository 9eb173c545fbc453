import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Finding,
  judgeActor,
  judgeSession,
  silenceOf,
  type WatchedActor,
} from "../../../src/features/watch/judge.ts";
import { reasonOf, warningOf } from "../../../src/features/watch/watch.ts";
import { callDeadline, watched } from "../../../src/features/watch/watched-record.ts";
import { ActorId, CallId, MAIN } from "../../../src/mailbox/ids.ts";
import type { Actor } from "../../../src/supervisor/actor-record.ts";
import { actor, blockedFor, call, limits } from "./actors.ts";

const NOW = 1_000_000;
const found = (who: WatchedActor): readonly Finding[] => judgeActor(who, NOW, (at) => NOW - at, limits);

/** What a person reads of the most urgent one, and what the parent's model reads when it is over. */
function said(who: WatchedActor): { warning: string; reason: string } | null {
  const [first] = found(who);
  return first ? { warning: warningOf(who, first), reason: reasonOf(first) } : null;
}

test("finds nothing wrong with a healthy, ended or cancelling agent", () => {
  expect(found(actor())).toEqual([]);
  for (const state of ["ended", "cancelling"] as const)
    expect(found(actor({ state, vitals: () => blockedFor(99_000), deadlineMs: 1, silentSince: 0 }))).toEqual(
      [],
    );
});

test("names what a blocked thread is stuck in (C2, D2)", () => {
  expect(said(actor({ vitals: () => blockedFor(9_999) }))).toBeNull();
  const calls = [
    call({ tool: "Read", title: "a.ts", startedAt: NOW }),
    call({ startedAt: NOW }),
    call({ tool: "Agent", title: "look", local: false, deadlineMs: null }),
  ];
  expect(said(actor({ calls, vitals: () => blockedFor(10_000) }))).toEqual({
    warning: 'Explore "find usages" has been stuck for 10 s in Grep "foo"; it will be ended in 50 s.',
    reason: 'It was stuck for 10 s in Grep "foo": its thread did not move.',
  });
  expect(said(actor({ id: MAIN, vitals: () => blockedFor(60_000) }))).toEqual({
    warning: "The main conversation has been stuck for 60 s between two calls; it will be ended in 0 s.",
    reason: "It was stuck for 60 s between two calls: its thread did not move.",
  });
});

test("does not report an agent as stuck if its host cannot see into it", () => {
  expect(found(actor({ vitals: () => ({ type: "unknown" }) }))).toEqual([]);
});

test("finds silence in the model's turn and nowhere else", () => {
  expect(silenceOf({ idleMs: 120_000, patienceMs: 60_000 })).toBe(210_000);
  expect(said(actor({ silentSince: NOW - 209_999 }))).toBeNull();
  expect(said(actor({ silentSince: NOW - 210_000 }))?.warning).toBe(
    'Explore "find usages" has heard nothing from the model for 210 s; it will be ended in 50 s.',
  );
  for (const state of ["queued", "waiting", "returning"] as const)
    expect(found(actor({ state, silentSince: 0 }))).toEqual([]);
});

test("counts silence of a starting agent from its first thread, however long it was queued", () => {
  const starting = (vitals: WatchedActor["vitals"]) =>
    found(actor({ state: "starting", silentSince: 0, vitals }));
  expect(starting(() => ({ type: "unknown" }))).toEqual([]);
  expect(starting(() => ({ ...blockedFor(0), boardedMs: 5_000 }))).toEqual([]);
  expect(starting(() => ({ ...blockedFor(0), boardedMs: 210_000 }))).toMatchObject([{ type: "silent" }]);
});

test("a call in the agent's own thread has a deadline; what waits for others has none (A22)", () => {
  const grep = { tool: "Grep", input: {}, local: true };
  expect(callDeadline(grep, 600_000)).toBe(600_000);
  expect(callDeadline({ ...grep, local: false }, 600_000)).toBeNull();
  const bash = (input: unknown) => callDeadline({ tool: "Bash", input, local: true }, 600_000);
  expect(bash({ command: "x" })).toBe(130_000);
  expect(bash({ command: "x", timeout: 5_000 })).toBe(15_000);
  for (const timeout of [9e9, Number.POSITIVE_INFINITY]) expect(bash({ timeout })).toBe(610_000);
  for (const odd of [null, "x", { timeout: "9" }, { timeout: Number.NaN }, { timeout: -1 }])
    expect(bash(odd)).toBe(130_000);
  const commandLimits = { usual: 300_000, most: 1_800_000 };
  expect(callDeadline({ tool: "Bash", input: {}, local: true, commandLimits }, 1)).toBe(310_000);
  expect(callDeadline({ tool: "Bash", input: { timeout: 9e9 }, local: true, commandLimits }, 1)).toBe(
    1_810_000,
  );

  const slow = call({ tool: "Bash", title: "npm test", startedAt: NOW - 140_000, deadlineMs: 130_000 });
  expect(said(actor({ calls: [slow] }))).toEqual({
    warning:
      'Explore "find usages" has been busy with Bash "npm test" for 140 s, longer than 130 s; it will be ended in 40 s.',
    reason: 'Bash "npm test" did not end within 130 s.',
  });
  expect(found(actor({ calls: [call({ startedAt: 0, local: false, deadlineMs: null })] }))).toEqual([]);
});

test("warns before deadlines of an agent and of the session", () => {
  expect(found(actor({ deadlineMs: 600_000, startedAt: NOW - 539_999 }))).toEqual([]);
  expect(said(actor({ deadlineMs: 600_000, startedAt: NOW - 540_000 }))).toEqual({
    warning: 'Explore "find usages" has 60 s left of its 600 s; then it will be ended.',
    reason: "It did not end within 600 s.",
  });
  expect(found(actor({ deadlineMs: 600_000, startedAt: null }))).toEqual([]);
  const finding = judgeSession(NOW - 3_600_000, 3_600_000, (at) => NOW - at);
  expect(finding && [warningOf(null, finding), reasonOf(finding), finding.leftMs]).toEqual([
    "The session has 0 s left of its 3600 s; then all that runs will be ended.",
    "The session's time of 3600 s was up.",
    0,
  ]);
  expect(judgeSession(NOW - 1_000, 3_600_000, (at) => NOW - at)).toBeNull();
});

test("returns the most urgent of several findings", () => {
  const who = actor({
    deadlineMs: 600_000,
    startedAt: NOW - 599_000,
    calls: [call({ startedAt: NOW - 610_000 })],
    vitals: () => blockedFor(20_000),
  });
  expect(found(who).map(({ type, leftMs }) => [type, leftMs])).toEqual([
    ["agent-deadline", 1_000],
    ["blocked", 40_000],
    ["call-overdue", 40_000],
  ]);
});

test("shortens a title to one line, whatever a model wrote", () => {
  const title = `${"x".repeat(100)}\u001b[2J\n\nmore`;
  const warning = said(
    actor({ calls: [call({ title, startedAt: NOW })], vitals: () => blockedFor(10_000) }),
  )?.warning;
  expect(warning).toBe(
    `Explore "find usages" has been stuck for 10 s in Grep "${"x".repeat(79)}…"; it will be ended in 50 s.`,
  );
});

test("reads from a record whose turn it is: the model's, a call's, the supervisor's", () => {
  const record = {
    id: ActorId.parse("agent1"),
    run: 2,
    spec: { type: "Explore", description: "look" },
    lifecycle: { state: "running" },
    handle: null,
    startedAt: 5,
    deadlineMs: null,
    calls: new Map(),
    reply: null,
    wait: null,
    lastSignAt: 100,
    answering: 0,
  } as unknown as Actor;
  expect(watched(record, 1)).toMatchObject({ run: 2, state: "running", silentSince: 100 });
  expect(watched(record, 1).vitals()).toEqual({ type: "unknown" });
  // A question to a person is asked within one of the agent's: there is no deadline for it.
  expect(watched({ ...record, answering: 1 }, 1).silentSince).toBeNull();
  expect(watched({ ...record, reply: {} } as Actor, 1).silentSince).toBeNull();
  // A countdown is shown; what does not come after it is missed.
  expect(watched({ ...record, wait: { until: 900 } } as Actor, 1).silentSince).toBe(900);
  const running = { tool: "Grep", title: "foo", input: {}, startedAt: 7, local: true };
  const busy = watched(
    { ...record, calls: new Map([[CallId.parse("agent1.1.0"), running]]) } as unknown as Actor,
    42,
  );
  expect(busy).toMatchObject({ silentSince: null, calls: [{ tool: "Grep", startedAt: 7, deadlineMs: 42 }] });
});

test("sorts findings, reports none before its time, and formats each", () => {
  const state = fc.constantFrom<WatchedActor["state"]>(
    "queued",
    "starting",
    "running",
    "waiting",
    "returning",
  );
  const deadline = fc.option(fc.integer({ min: 1, max: 2_000_000 }));
  const property = fc.property(
    state,
    fc.nat(100_000),
    fc.nat(400_000),
    deadline,
    (state, ms, silent, deadlineMs) => {
      const calls = [call({ startedAt: NOW - ms * 8 })];
      const who = actor({
        state,
        silentSince: NOW - silent,
        deadlineMs,
        calls,
        vitals: () => blockedFor(ms),
      });
      const findings = found(who);
      expect(findings).toEqual([...findings].sort((a, b) => a.leftMs - b.leftMs));
      for (const finding of findings) {
        if (finding.type === "blocked") expect(finding.leftMs <= 0).toBe(ms >= limits.stuckMs);
        if (finding.type === "silent") expect(finding.leftMs <= 0).toBe(silent >= limits.silentMs + 50_000);
        expect(warningOf(who, finding)).toMatch(/ended( in \d+ m?s)?\.$/);
        expect(reasonOf(finding)).toMatch(/\.$/);
      }
    },
  );
  fc.assert(property, { seed: 51, numRuns: 500 });
});
