import { MessageChannel, Worker } from "node:worker_threads";
import type { ActorHost } from "../../src/actors/hosts.ts";
import { leasingHost } from "../../src/actors/leasing-host.ts";
import { noUsage } from "../../src/mailbox/conversation.ts";
import { ActorId } from "../../src/mailbox/ids.ts";
import type { ActorSpec } from "../../src/mailbox/messages.ts";
import type { ModelOutcome } from "../../src/model/client.ts";
import { servicesWith } from "../../test/support/unasked-services.ts";
import { answer, given } from "../own-process.ts";
import { interleaved } from "../samples.ts";
import type { SpawnSamples } from "../spawn.ts";

const EMPTY = new URL("../floor/empty-worker.cjs", import.meta.url);

const { cwd, rounds } = given<{ cwd: string; rounds: number }>();

const services = servicesWith({
  before: async () => ({ type: "go" }),
  after: async () => ({}),
  callTool: async () => ({ content: "", isError: true }),
  reply: async () => null,
  turn: async () => ({ steer: [] }),
  finish: async () => ({ type: "closed" }),
});

const done: ModelOutcome = {
  type: "reply",
  reply: {
    content: [{ type: "text", text: "Done.", citations: null }],
    stopReason: "end_turn",
    usage: noUsage,
    model: "test-model",
    apiMs: 0,
  },
};

function spec(n: number): ActorSpec {
  return {
    id: ActorId.parse(`agent${n}`),
    parent: null,
    depth: 1,
    attempt: 1,
    type: "Explore",
    description: "measured",
    system: ["You are measured."],
    tools: [],
    model: "test-model",
    maxTokens: 16_000,
    maxTurns: 10,
    root: cwd,
    additionalDirs: [],
    messages: [{ role: "user", content: "Answer at once." }],
    turns: [],
    heard: [],
  };
}

let agents = 0;

/** Milliseconds until the gateway's end of the agent's lane hears its first request; the agent then ends. */
async function untilFirstRequest(host: ActorHost, began = performance.now()): Promise<number> {
  const { port1, port2 } = new MessageChannel();
  const asked = Promise.withResolvers<number>();
  agents += 1;
  port1.on("message", ({ id }: { id: number }) => {
    asked.resolve(performance.now() - began);
    port1.postMessage({ type: "outcome", id, outcome: done });
  });
  const { exited } = host.start({
    spec: spec(agents),
    services,
    connect: () => port2,
    elsewhere: null,
    isSuspect: false,
    onReport() {},
  });
  const exit = await exited;
  if (exit.type !== "returned") throw new Error(`The measured agent ended as ${JSON.stringify(exit)}.`);
  return asked.promise;
}

function openHost(): ActorHost {
  return leasingHost({
    onFault: (message) => {
      throw new Error(message);
    },
  });
}

/** From nothing: the host itself is made in that time. */
async function cold(): Promise<number> {
  const began = performance.now();
  const host = openHost();
  const ms = await untilFirstRequest(host, began);
  await host.close();
  return ms;
}

async function emptyThread(): Promise<number> {
  const began = performance.now();
  const worker = new Worker(EMPTY);
  const ms = await new Promise<number>((resolve) => {
    worker.once("message", () => resolve(performance.now() - began));
  });
  await worker.terminate();
  return ms;
}

const used = openHost();
const echo = new Worker(EMPTY);

function portRoundTrip(): Promise<number> {
  const began = performance.now();
  return new Promise((resolve) => {
    echo.once("message", () => resolve(performance.now() - began));
    echo.postMessage("there and back");
  });
}

const starts = await interleaved(rounds, { emptyThread, cold });
const trips = await interleaved(rounds * 10, { warm: () => untilFirstRequest(used), portRoundTrip });
await used.close();
await echo.terminate();
await answer({ ...starts, ...trips } satisfies SpawnSamples);
process.exit();
