import work, { type WorkerAnswer, type WorkerTask } from "../../src/actors/worker.ts";

/**
 * A thread entry that does what its prompt says, for tests of how agents end. Anything else in the prompt
 * makes it an ordinary agent.
 */
export default async function misbehave(task: WorkerTask): Promise<WorkerAnswer> {
  const prompt = task.type === "act" ? JSON.stringify(messagesOf(task.spec)) : "";
  const told = (word: string) => prompt.includes(`misbehave: ${word}`);
  // Once it runs, but before a reply can have come: a warm thread is quicker than a timer.
  if (told("throw late")) setImmediate(throwNow);
  if (told("throw now")) throwNow();
  if (told("exit")) process.exit(3);
  if (told("reject")) void Promise.reject(new Error("nobody caught this"));
  if (told("return")) return { ok: true };
  if (told("uncloneable")) return { ok: true, extra: () => {} } as WorkerAnswer;
  if (told("eat memory")) eatMemory();
  if (told("spin")) for (;;);
  if (told("backtrack")) /^(a+)+$/.test(`${"a".repeat(64)}!`);
  if (told("sleep")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (told("microtasks")) await forEver();
  if (told("never settle")) await new Promise(() => {});
  if (told("keep busy")) keepBusy();
  if (told("spin late"))
    setImmediate(() => {
      for (;;);
    });
  return work(task);
}

/** What it was told itself: a turn that it takes over may speak of others that are to misbehave. */
function messagesOf(spec: unknown): unknown {
  return typeof spec === "object" && spec !== null && "messages" in spec ? spec.messages : null;
}

function throwNow(): never {
  throw new TypeError("the agent's code is broken");
}

/** Promises only: the loop never turns, though nothing is blocked. */
async function forEver(): Promise<never> {
  for (;;) await null;
}

/** Busy all the time, and yet the loop turns: no cause for alarm. */
function keepBusy(): void {
  const until = performance.now() + 5;
  while (performance.now() < until);
  setImmediate(keepBusy);
}

function eatMemory(): never {
  // Small pieces in a chain: one huge array would abort the whole process, which no limit prevents.
  let eaten: unknown = null;
  for (let piece = 0; ; piece += 1) eaten = { before: eaten, bytes: Array.from({ length: 64 }, () => piece) };
}
