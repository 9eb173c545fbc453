import { MessageChannel } from "node:worker_threads";
import { onTestFinished } from "vitest";
import type { ActorHandle, ActorHost } from "../../src/actors/hosts.ts";
import { threadHost } from "../../src/actors/thread-host.ts";
import { noUsage } from "../../src/mailbox/conversation.ts";
import { ActorId } from "../../src/mailbox/ids.ts";
import type { ModelOutcome } from "../../src/model/client.ts";
import { bundledThread } from "../support/bundled-entries.ts";
import { servicesWith } from "../support/unasked-services.ts";

export const MISBEHAVING = await bundledThread(new URL("./misbehaving-worker.ts", import.meta.url));

/** A host of real threads, closed when the test has ended. */
export function threads(maxThreads: number, entry = MISBEHAVING): ActorHost {
  const made = threadHost({ maxThreads, entry, onFault: () => {} });
  onTestFinished(() => made.close());
  return made;
}

const services = servicesWith({ finish: async () => ({ type: "closed" }) });

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

export interface Begun extends ActorHandle {
  /** Its first request is there; `reply` answers it, and the actor ends. */
  readonly asked: Promise<{ reply(): void }>;
}

/** An actor without a supervisor; the test is its model. */
export function begin(on: ActorHost, name: string, prompt = "answer"): Begun {
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

/** Counts the threads that this process boots, until the test has ended. */
export function bootedThreads(): () => number {
  let booted = 0;
  const count = () => {
    booted += 1;
  };
  process.on("worker", count);
  onTestFinished(() => void process.off("worker", count));
  return () => booted;
}
