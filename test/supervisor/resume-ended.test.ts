import { expect, test } from "vitest";
import { noUsage } from "../../src/mailbox/conversation.ts";
import type { Summary } from "../../src/mailbox/messages.ts";
import { noReceipts } from "../../src/mailbox/turns.ts";
import { ActorRecord, FOR_THE_PERSON } from "../../src/supervisor/actor-record.ts";
import { resumeEnded } from "../../src/supervisor/resume-ended.ts";
import { countingSpec } from "../support/counting-spec.ts";

const summary: Summary = { status: "done", text: "ok", turns: 1, usage: noUsage, receipts: noReceipts };

/** An agent; a disk that says what runs of it have ended when it is asked, but whose first answers are held. */
function onDisk(held: number) {
  const agent = new ActorRecord(countingSpec, 0);
  const ended: number[] = [];
  const answers: Array<() => void> = [];
  const allAsked = Promise.withResolvers<void>();
  const read = async () => {
    const known = [...ended];
    if (answers.length === held) return known;
    const answered = new Promise<void>((resolve) => answers.push(resolve));
    if (answers.length === held) allAsked.resolve();
    await answered;
    return known;
  };
  /** With what each that set it going knew. */
  const knew: (readonly number[])[] = [];
  return {
    agent,
    knew,
    answers,
    allAsked: allAsked.promise,
    ends() {
      agent.child = { state: "ended" };
      ended.push(agent.run);
      agent.deliver(summary);
    },
    goOn: () =>
      resumeEnded(agent, read, async (known) => {
        agent.startNextRun(FOR_THE_PERSON, 1);
        knew.push(known);
      }),
  };
}

test("who is late because the disk was, goes on with what came meanwhile: no run of it is forgotten", async () => {
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

test("of several at once one sets it going; the others learn that it runs", async () => {
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
  agent.child = { state: "cancelling", stop: { status: "cancelled", reason: "" }, holds: true };
  const later = goOn();
  ends();
  expect(await later).toBe(true);
  expect(knew).toEqual([[1]]);
});
