import { expect, test } from "vitest";
import { type ActorAtRest, resultId } from "../../src/journal/session-state.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { noUsage } from "../../src/mailbox/conversation.ts";
import { ActorId } from "../../src/mailbox/ids.ts";
import type { Summary } from "../../src/mailbox/messages.ts";
import { noReceipts } from "../../src/mailbox/turns.ts";
import { createActor } from "../../src/supervisor/actor-record.ts";
import { Delivery } from "../../src/supervisor/delivery.ts";
import { FOR_THE_USER } from "../../src/supervisor/run-state.ts";
import { Spawn } from "../../src/supervisor/spawn.ts";
import { countingSpec } from "../support/counting-spec.ts";

const summary: Summary = { status: "done", text: "ok", turns: 1, usage: noUsage, receipts: noReceipts };

/** An agent; a disk that says which runs of it have ended when it is asked, but whose first answers are held. */
function onDisk(held: number) {
  const agent = createActor({ ...countingSpec, id: ActorId.parse("agent1") }, 0);
  const ended: number[] = [];
  const answers: Array<() => void> = [];
  const allAsked = Promise.withResolvers<void>();
  /** What each that started it knew: the runs, as turns. */
  const knew: (readonly number[])[] = [];
  const read = async (): Promise<ActorAtRest> => {
    const known = rest(ended);
    if (answers.length === held) return known;
    const answered = new Promise<void>((resolve) => answers.push(resolve));
    if (answers.length === held) allAsked.resolve();
    await answered;
    return known;
  };
  const delivery = new Delivery({
    find: () => agent,
    outputs: { write: async () => "", pathOf: () => "" },
    formatResult: () => ({
      ...{ type: "agent", id: resultId(agent.id, 1), agent: agent.id, title: "", status: "done" },
      ...{ ending: "", text: "", note: null, path: null },
    }),
    onIdle() {},
    onWarning() {},
  });
  const spawn = new Spawn({
    actors: {
      ...{ joints: [], find: () => agent, emit() {}, delivery },
      add() {},
      start: ({ turns }) => void knew.push(turns.map(({ turn }) => turn)),
    },
    journal: {
      folder: "/",
      append: async () => 1,
      note() {},
      state: () => ({ type: "writable" }),
      close: async () => {},
    },
    ids: { actor: () => agent.id },
    clock: systemClock,
    turnsOf: () => 1,
    onWarning() {},
    read,
  });
  return {
    agent,
    knew,
    answers,
    allAsked: allAsked.promise,
    ends() {
      agent.advance({ type: "stop", stop: { status: "cancelled", reason: "" } });
      agent.advance({ type: "exit", exit: { type: "returned" } });
      ended.push(agent.run);
      agent.deliver(summary);
    },
    goOn: () => spawn.resume(agent, "more", FOR_THE_USER),
  };
}

/** What the journal says, as far as it is asked: a turn for each run that has ended. */
function rest(runs: readonly number[]): ActorAtRest {
  const turns = runs.map((turn) => ({
    ...{ turn, heard: [], messages: [], cwd: "/", reads: [] },
    ...{ usage: noUsage, receipts: noReceipts },
  }));
  return {
    ...{
      spec: countingSpec,
      turns,
      reply: null,
      begun: [],
      lostReplies: [],
      models: [],
      lentModel: null,
      askedModel: null,
      summary,
      run: runs.length,
      earlier: [],
      summaries: [],
    },
    ...{
      durationMs: 0,
      owner: null,
      call: null,
      background: false,
      unheard: [],
      missed: [],
      heard: new Set(),
    },
  };
}

test("one that is late because the disk was resumes it with the runs since then: none is forgotten", async () => {
  const { ends, goOn, knew, answers, allAsked } = onDisk(2);
  ends();
  const [early, late] = [goOn(), goOn()];
  await allAsked;
  answers[0]?.();
  expect(await early).toBe(true);
  ends();
  answers[1]?.();
  expect(await late).toBe(true);
  expect(knew).toEqual([[1], [1, 2]]);
});

test("of several together one starts it; the others learn that it runs", async () => {
  const { agent, ends, goOn, answers, allAsked } = onDisk(3);
  ends();
  const all = [goOn(), goOn(), goOn()];
  await allAsked;
  for (const answer of answers) answer();
  expect(await Promise.all(all)).toEqual([true, false, false]);
  expect(agent.run).toBe(2);
});

test("an end that is not delivered yet is waited for, also that of one who is being stopped", async () => {
  const { agent, ends, goOn, knew } = onDisk(0);
  agent.advance({ type: "slot" });
  agent.advance({ type: "stop", stop: { status: "cancelled", reason: "" } });
  const later = goOn();
  ends();
  expect(await later).toBe(true);
  expect(knew).toEqual([[1]]);
});
