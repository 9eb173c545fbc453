import type { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { begin, threads } from "./bare-actors.ts";

test("a thread that is used by one actor after the other keeps no listener of any of them", async () => {
  const booted: Worker[] = [];
  const note = (worker: Worker) => booted.push(worker);
  process.on("worker", note);
  onTestFinished(() => void process.off("worker", note));
  const host = threads(1);
  const counts: unknown[] = [];
  for (let n = 0; n < 12; n += 1) {
    const actor = begin(host, `agent${n}`);
    (await actor.asked).reply();
    await actor.exited;
    const [thread] = booted;
    counts.push(thread?.eventNames().map((name) => [name, thread.listenerCount(name)]));
  }
  expect(booted).toHaveLength(1);
  expect(counts).toEqual(Array.from({ length: 12 }, () => counts[0]));
});
