import { availableParallelism } from "node:os";
import { MessageChannel } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import type { ActorHandle, ActorHost } from "../../src/actors/hosts.ts";
import { threadHost } from "../../src/actors/thread-host.ts";
import { noUsage } from "../../src/mailbox/conversation.ts";
import { ActorId } from "../../src/mailbox/ids.ts";
import type { Services } from "../../src/mailbox/services.ts";
import type { ModelOutcome } from "../../src/model/client.ts";

const LATE = new URL("./late-worker.ts", import.meta.url).href;
const MISBEHAVING = new URL("./misbehaving-worker.ts", import.meta.url).href;

function host(maxThreads: number, entry = MISBEHAVING): ActorHost {
  const made = threadHost({ maxThreads, entry, onFault: () => {} });
  onTestFinished(() => made.close());
  return made;
}

const never = async (): Promise<never> => {
  throw new Error("Nobody asks for this here.");
};
const services: Services = {
  before: never,
  after: never,
  callTool: never,
  turn: never,
  finish: async () => ({ type: "closed" }),
  hidden: never,
  run: never,
  command: never,
  background: never,
};

const done: ModelOutcome = {
  type: "reply",
  reply: {
    content: [{ type: "text", text: "Done.", citations: null }],
    stopReason: "end_turn",
    usage: noUsage,
    model: "m",
    apiMs: 0,
  },
};

interface Begun extends ActorHandle {
  /** Its first request is there; `reply` answers it, and the actor ends. */
  readonly asked: Promise<{ reply(): void }>;
}

function begin(on: ActorHost, name: string, prompt = "answer"): Begun {
  const { port1, port2 } = new MessageChannel();
  const { promise: asked, resolve } = Promise.withResolvers<{ reply(): void }>();
  port1.on("message", ({ id }: { id: number }) => {
    resolve({ reply: () => port1.postMessage({ type: "outcome", id, outcome: done }) });
  });
  const handle = on.start({
    spec: {
      id: ActorId.parse(name),
      parent: null,
      depth: 1,
      attempt: 1,
      type: "Explore",
      description: name,
      system: [],
      tools: [],
      model: "m",
      maxTokens: 100,
      maxTurns: 10,
      root: process.cwd(),
      additionalDirs: [],
      messages: [{ role: "user", content: prompt }],
      turns: [],
      heard: [],
    },
    services,
    model: port2,
  });
  onTestFinished(() => port1.close());
  return { ...handle, asked };
}

test("an actor beyond the last thread gets the thread of one that has ended", async () => {
  const threads = host(1);
  const first = begin(threads, "first");
  const second = begin(threads, "second");
  (await first.asked).reply();
  expect(await first.exited).toEqual({ type: "returned" });
  (await second.asked).reply();
  expect(await second.exited).toEqual({ type: "returned" });
});

test("an actor that still waits for a thread can be ended, and so can the whole host", async () => {
  const threads = host(1);
  const first = begin(threads, "first");
  const second = begin(threads, "second");
  const third = begin(threads, "third");
  await first.asked;
  second.terminate();
  expect(await second.exited).toEqual({ type: "terminated" });
  await threads.close();
  expect(await third.exited).toEqual({ type: "terminated" });
  await first.exited;
});

test("closed, a host ends its actors as terminated and boots no thread any more", async () => {
  const threads = host(2);
  const running = begin(threads, "running");
  await running.asked;
  await threads.close();
  expect(await running.exited).toEqual({ type: "terminated" });
  let booted = 0;
  const count = () => {
    booted += 1;
  };
  process.on("worker", count);
  onTestFinished(() => void process.off("worker", count));
  threads.warm(2);
  expect(await begin(threads, "late").exited).toEqual({ type: "terminated" });
  expect(booted).toBe(0);
});

test("threads that hang before they come up do not hold up the next ones", async () => {
  const threads = host(availableParallelism() + 1);
  for (let n = 0; n < availableParallelism(); n++) begin(threads, `stuck${n}`, "misbehave: spin");
  const next = begin(threads, "next");
  (await next.asked).reply();
  expect(await next.exited).toEqual({ type: "returned" });
});

test("spares that were booted ahead take actors, and more actors than spares find threads too", async () => {
  const threads = host(4);
  threads.warm(2);
  const actors = ["one1", "two2", "three", "four"].map((name) => begin(threads, name));
  for (const actor of actors) (await actor.asked).reply();
  expect(await Promise.all(actors.map(({ exited }) => exited))).toEqual(
    actors.map(() => ({ type: "returned" })),
  );
});

test("a spare that comes up late is still taken by the actor that waits", async () => {
  const threads = host(1, LATE);
  threads.warm(1);
  const actor = begin(threads, "patient");
  (await actor.asked).reply();
  expect(await actor.exited).toEqual({ type: "returned" });
});
