import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { bundledThread } from "../support/bundled-entries.ts";
import { begin, bootedThreads, threads } from "./bare-actors.ts";

const LATE = await bundledThread(new URL("./late-worker.ts", import.meta.url));

test("an actor beyond the last thread gets the thread of one that has ended", async () => {
  const host = threads(1);
  const first = begin(host, "first");
  const second = begin(host, "second");
  expect(host.load()).toEqual({ threads: 1, waiting: 1 });
  (await first.asked).reply();
  expect(await first.exited).toEqual({ type: "returned" });
  (await second.asked).reply();
  expect(await second.exited).toEqual({ type: "returned" });
  expect(host.load()).toEqual({ threads: 0, waiting: 0 });
});

test("gives released threads to the next in line: ten actors pass through two", async () => {
  const host = threads(2);
  const booted = bootedThreads();
  const actors = Array.from({ length: 10 }, (_, n) => begin(host, `actor${n}`));
  expect(host.load().threads + host.load().waiting).toBe(10);
  let most = 0;
  for (const { asked } of actors) {
    void asked.then(({ reply }) => {
      most = Math.max(most, host.load().threads);
      reply();
    });
  }
  expect(await Promise.all(actors.map(({ exited }) => exited))).toEqual(
    actors.map(() => ({ type: "returned" })),
  );
  expect(booted()).toBe(2);
  expect(most).toBeLessThanOrEqual(2);
  expect(host.load()).toEqual({ threads: 0, waiting: 0 });
});

test("replaces an ended thread for waiting actors", async () => {
  const host = threads(1);
  const stuck = begin(host, "stuck", "misbehave: spin");
  const next = begin(host, "next");
  stuck.terminate();
  expect(await stuck.exited).toEqual({ type: "terminated" });
  (await next.asked).reply();
  expect(await next.exited).toEqual({ type: "returned" });
});

test("an actor that still waits for a thread can be ended, and so can the whole host", async () => {
  const host = threads(1);
  const first = begin(host, "first");
  const second = begin(host, "second");
  const third = begin(host, "third");
  await first.asked;
  second.terminate();
  expect(await second.exited).toEqual({ type: "terminated" });
  expect(host.load()).toEqual({ threads: 1, waiting: 1 });
  await host.close();
  expect(await third.exited).toEqual({ type: "terminated" });
  await first.exited;
});

test("ends its actors as terminated when closed, and starts no more threads", async () => {
  const host = threads(2);
  const running = begin(host, "running");
  await running.asked;
  await host.close();
  expect(await running.exited).toEqual({ type: "terminated" });
  const booted = bootedThreads();
  host.warm(2);
  expect(await begin(host, "late").exited).toEqual({ type: "terminated" });
  expect(booted()).toBe(0);
});

test("threads that hang before they come up do not hold up the next ones", { tags: ["long"] }, async () => {
  const host = threads(availableParallelism() + 1);
  for (let n = 0; n < availableParallelism(); n++) begin(host, `stuck${n}`, "misbehave: spin");
  const next = begin(host, "next");
  (await next.asked).reply();
  expect(await next.exited).toEqual({ type: "returned" });
});

test("spares that were booted ahead take actors, and more actors than spares find threads too", async () => {
  const host = threads(4);
  host.warm(2);
  const actors = ["one1", "two2", "three", "four"].map((name) => begin(host, name));
  for (const actor of actors) (await actor.asked).reply();
  expect(await Promise.all(actors.map(({ exited }) => exited))).toEqual(
    actors.map(() => ({ type: "returned" })),
  );
});

test("a spare that comes up late is still taken by the actor that waits", { tags: ["long"] }, async () => {
  const host = threads(1, LATE);
  host.warm(1);
  const actor = begin(host, "patient");
  (await actor.asked).reply();
  expect(await actor.exited).toEqual({ type: "returned" });
});
