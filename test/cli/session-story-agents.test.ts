import fc from "fast-check";
import { expect, test } from "vitest";
import { type AgentStory, sessionStory } from "../../src/cli/session-story.ts";
import type { JournalRecord, SessionEvent } from "../../src/journal/session-events.ts";
import { type ActorId, MAIN } from "../../src/mailbox/ids.ts";
import {
  ALICE,
  BOB,
  prompt,
  recordsOf,
  sessionEvent,
  spawn,
  summary,
  turn,
  turnEvent,
  usage,
} from "../journal/samples.ts";

const agentsOf = (records: readonly JournalRecord[]): Omit<AgentStory, "exchanges">[] =>
  sessionStory(records).agents.map(({ exchanges: _, ...agent }) => agent);

const done = (actor: ActorId): SessionEvent => ({
  type: "summary",
  actor,
  summary: summary(`${actor} is done`),
  durationMs: 12,
});

test("a spec with turns already taken replaces what was folded before it (promise 8)", () => {
  const taken = [turn(1, "looking")];
  const records = recordsOf([
    spawn(ALICE),
    turnEvent(ALICE, 1, "looking"),
    spawn(ALICE, { attempt: 2, turns: taken }),
    turnEvent(ALICE, 2, "found"),
  ]);
  expect(agentsOf(records)).toMatchObject([{ id: ALICE, turns: 2, usage: { input_tokens: 3 } }]);
});

test("agents are listed in spawn order, with what the journal knows of each", () => {
  const records = recordsOf([
    sessionEvent(),
    spawn(BOB, { type: "Plan" }),
    spawn(ALICE, { parent: BOB, depth: 2 }),
    turnEvent(BOB, 1, "thinking"),
    turnEvent(BOB, 2, "thinking"),
    turnEvent(ALICE, 1, "looking"),
    done(ALICE),
  ]);
  expect(agentsOf(records)).toEqual([
    {
      id: BOB,
      parent: MAIN,
      depth: 1,
      type: "Plan",
      description: "look at bobby",
      status: null,
      summary: null,
      durationMs: null,
      turns: 2,
      usage: { ...usage(3), output_tokens: 2 },
      attempts: [],
    },
    {
      id: ALICE,
      parent: BOB,
      depth: 2,
      type: "Explore",
      description: "look at alice",
      status: "done",
      summary: summary("alice is done"),
      durationMs: 12,
      turns: 2,
      usage: usage(50),
      attempts: [],
    },
  ]);
});

test("an agent's attempts on runners are listed, each with the reason why it left its runner (issue 22)", () => {
  const start = (attempt: number, left?: string): SessionEvent => ({
    ...{ type: "start", actor: ALICE, attempt },
    ...(left === undefined ? {} : { left }),
  });
  const boarded = (attempt: number, runner: string): SessionEvent => ({
    ...{ type: "boarded", actor: ALICE, attempt, runner },
  });
  const records = recordsOf([
    ...[spawn(ALICE), start(1), boarded(1, "r1"), start(2, "its runner r1 was lost"), boarded(2, "r2")],
    // The session was killed.
    ...[start(3), boarded(3, "r1"), done(ALICE)],
  ]);
  expect(agentsOf(records)).toMatchObject([
    {
      attempts: [
        { attempt: 1, runner: "r1", left: "its runner r1 was lost" },
        { attempt: 2, runner: "r2", left: null },
        { attempt: 3, runner: "r1", left: null },
      ],
    },
  ]);
});

test("an agent that goes on after its summary is unfinished until the next one", () => {
  const again = [spawn(ALICE), done(ALICE), { type: "start", actor: ALICE, attempt: 2 } as const];
  expect(agentsOf(recordsOf(again))).toMatchObject([{ status: null, summary: null, durationMs: null }]);
  expect(agentsOf(recordsOf([...again, done(ALICE)]))).toMatchObject([{ status: "done" }]);
});

test("records of an actor that was never spawned make no agent", () => {
  expect(agentsOf(recordsOf([turnEvent(BOB, 1, "ghost"), done(BOB)]))).toEqual([]);
});

test("however the records of actors are interleaved, each actor's story is that of its own records", () => {
  const ownEvents = (actor: ActorId) =>
    fc.array(fc.constantFrom("turn", "prompt", "summary", "start"), { maxLength: 12 }).map((kinds) => [
      spawn(actor),
      ...kinds.map((kind, index): SessionEvent => {
        if (kind === "turn")
          return turnEvent(actor, index, `${actor} ${index}`, { heard: [{ text: `${index}` }] });
        if (kind === "prompt") return prompt(`${actor} ${index}`, actor);
        return kind === "summary" ? done(actor) : { type: "start", actor, attempt: index };
      }),
    ]);
  const actors = [MAIN, ALICE, BOB] as const;
  fc.assert(
    fc.property(
      fc.tuple(ownEvents(MAIN), ownEvents(ALICE), ownEvents(BOB)),
      fc.infiniteStream(fc.nat(2)),
      (own, choices) => {
        const queues = own.map((events) => [...events]);
        const mixed: SessionEvent[] = [];
        while (queues.some((queue) => queue.length > 0)) {
          const next = queues[choices.next().value ?? 0]?.shift();
          if (next !== undefined) mixed.push(next);
        }
        const records = recordsOf(mixed);
        for (const [index, actor] of actors.entries()) {
          const alone = recordsOf(own[index] ?? []);
          expect(agentsOf(records).filter(({ id }) => id === actor)).toEqual(agentsOf(alone));
        }
      },
    ),
    { seed: 3, numRuns: 100 },
  );
});

test("reading leaves the records as they were", () => {
  const records = recordsOf([
    spawn(ALICE),
    prompt("a", ALICE),
    turnEvent(ALICE, 1, "b", { heard: [{ text: "c" }] }),
  ]);
  const before = structuredClone(records);
  agentsOf(records);
  expect(records).toEqual(before);
});
