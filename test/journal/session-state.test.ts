import { expect, test } from "vitest";
import type { SessionEvent } from "../../src/journal/session-events.ts";
import {
  conversationNow,
  isOfCall,
  messageId,
  type Said,
  sessionStateOf,
} from "../../src/journal/session-state.ts";
import { type ActorId, callId, MAIN } from "../../src/mailbox/ids.ts";
import type { AgentTool } from "../../src/mailbox/messages.ts";
import { ALICE, BOB, recordsOf, sessionEvent, spawn, summary, turn, turnEvent, usage } from "./samples.ts";

const CALL = callId(MAIN, 1, 0);

const said = (text: string, id: string, from?: ActorId): SessionEvent => ({
  type: "prompt",
  actor: ALICE,
  message: { role: "user", content: text },
  id,
  ...(from === undefined ? {} : { from }),
});
const ended = (text: string, run = 1): SessionEvent => ({
  type: "summary",
  actor: ALICE,
  run,
  summary: summary(text),
  durationMs: 1,
});
const reopened = (run: number, owner: ActorId | null): SessionEvent => ({
  type: "reopen",
  ...{ actor: ALICE, run, owner, call: null, background: true, maxTurns: 100 },
});

function alice(events: readonly SessionEvent[]) {
  const actor = sessionStateOf(recordsOf([sessionEvent(), ...events])).actors.get(ALICE);
  if (!actor) throw new Error("alice is not known");
  return actor;
}

const ids = (steering: readonly Said[]) => steering.flatMap(({ of = [] }) => of);

test("every run's result is kept under its own number, also when the next one has begun (D1)", () => {
  const actor = alice([
    spawn(ALICE),
    ended("one"),
    said("more", "words:b1", BOB),
    reopened(2, BOB),
    ended("two", 2),
    said("again", "words:c1"),
    reopened(3, null),
  ]);
  expect(actor).toMatchObject({ run: 3, owner: null, summary: null });
  expect(actor.earlier).toMatchObject([
    { run: 1, owner: MAIN, background: false, summary: { text: "one" } },
    { run: 2, owner: BOB, background: true, summary: { text: "two" } },
  ]);
});

test("agents get the tools of the record that they share; without it they are not known, and others are", () => {
  const echo = { name: "Echo", description: "Echoes.", input_schema: { type: "object" as const } };
  const tools: AgentTool[] = [{ ...echo, side: "agent", aliases: [], parallel: true }];
  const shared: SessionEvent = { ...spawn(BOB), tools: "of-workers" };
  const known = (events: readonly SessionEvent[]) => sessionStateOf(recordsOf(events)).actors;
  const actors = known([{ type: "tools", id: "of-workers", tools }, spawn(ALICE), shared]);
  expect(actors.get(BOB)?.spec.tools).toEqual(tools);
  expect(actors.get(ALICE)?.spec.tools).toEqual([]);
  expect([...known([spawn(ALICE), shared]).keys()]).toEqual([ALICE]);
});

test("a summary of a run that is over ends no later one", () => {
  const actor = alice([spawn(ALICE), ended("one"), said("more", "w"), reopened(2, null), ended("late", 1)]);
  expect(actor.summary).toBeNull();
});

test("words that no turn has heard when their agent ends are missed; what makes it go on is heard by the next run", () => {
  const actor = alice([
    spawn(ALICE),
    said("first", "w1", BOB),
    said("second", "w2", BOB),
    turnEvent(ALICE, 1, "hm", { heard: [{ text: "first", of: ["w1"] }] }),
    ended("one"),
    said("too late", "w3", MAIN),
    said("go on", "w4", MAIN),
    reopened(2, MAIN),
    said("and this", "w5", BOB),
  ]);
  expect(ids(actor.unheard)).toEqual(["w4", "w5"]);
  expect(ids(actor.missed)).toEqual(["w2", "w3"]);
  expect(actor.missed.map(({ from }) => from)).toEqual([BOB, MAIN]);
  expect([...actor.heard]).toEqual(["w1"]);
});

test("the main conversation misses nothing: it hears when it goes on", () => {
  const { actors } = sessionStateOf(
    recordsOf([
      sessionEvent(),
      spawn(MAIN, { parent: null }),
      { type: "prompt", actor: MAIN, message: { role: "user", content: "two" }, id: "w1" },
      { type: "summary", actor: MAIN, run: 1, summary: summary("one"), durationMs: 1 },
    ]),
  );
  expect(ids(actors.get(MAIN)?.unheard ?? [])).toEqual(["w1"]);
  expect(actors.get(MAIN)?.missed).toEqual([]);
});

test("a call that is repeated after a crash sends its message once", () => {
  const id = messageId(CALL);
  expect(isOfCall(id)).toBe(true);
  expect(isOfCall("words:0123456789abcdef")).toBe(false);
  const actor = alice([
    spawn(ALICE),
    ended("one"),
    said("more", id, MAIN),
    said("more", id, MAIN),
    reopened(2, MAIN),
  ]);
  expect(ids(actor.unheard)).toEqual([id]);
});

test("a reply belongs to the next turn, and its calls are those that were allowed", () => {
  const reply = (number: number): SessionEvent => ({
    type: "reply",
    actor: ALICE,
    reply: { turn: number, heard: [], content: [], usage: usage(1) },
  });
  const before = (index: number, decision: string): SessionEvent => ({
    type: "before",
    ...{ actor: ALICE, call: callId(ALICE, 2, index), tool: "Bash", input: {}, decision },
  });
  const after: SessionEvent = {
    type: "after",
    ...{ actor: ALICE, call: callId(ALICE, 2, 0), isError: false, result: { content: "ok", isError: false } },
  };
  const events = [
    spawn(ALICE),
    turnEvent(ALICE, 1, "one"),
    reply(2),
    before(0, "go"),
    before(1, "refuse"),
    after,
    before(2, "go"),
  ];
  const actor = alice(events);
  expect(actor.reply?.turn).toBe(2);
  expect(actor.begun.map(({ ended: is, result }) => [is, result?.content])).toEqual([
    [true, "ok"],
    [false, undefined],
  ]);
  expect(alice([...events, reply(1)]).reply?.turn).toBe(2);
  expect(alice([...events, turnEvent(ALICE, 2, "two")])).toMatchObject({ reply: null, begun: [] });
  expect(alice([...events, turnEvent(ALICE, 2, "two"), turnEvent(ALICE, 2, "twice")]).turns).toHaveLength(2);
});

test("a fork's conversation is its parent's at that record, and its own", () => {
  const own = { role: "user" as const, content: "do this" };
  const reply: SessionEvent = {
    type: "reply",
    actor: ALICE,
    reply: { turn: 2, heard: [{ text: "by the way" }], content: [], usage: usage(1) },
  };
  const fork = spawn(BOB, { parent: ALICE, messages: [own] });
  const records = recordsOf([
    sessionEvent(),
    spawn(ALICE),
    turnEvent(ALICE, 1, "one"),
    reply,
    fork.type === "spawn" ? { ...fork, fork: true } : fork,
    { type: "turn", actor: ALICE, turn: turn(2, "later") },
  ]);
  const { actors } = sessionStateOf(records);
  const parent = sessionStateOf(records.slice(0, 4)).actors.get(ALICE);
  if (!parent) throw new Error("no parent");
  expect(actors.get(BOB)?.spec.messages).toEqual([...conversationNow(parent), own]);
  expect(conversationNow(parent).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
});
