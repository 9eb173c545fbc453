import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { portMailbox } from "../src/mailbox/mailbox.ts";
import { FromAgent } from "../src/mailbox/messages.ts";
import { serveServices } from "../src/mailbox/service-rpc.ts";
import { servicesWith } from "../test/support/unasked-services.ts";
import { type BenchOptions, type BenchResult, partOfFloor, timesFloor } from "./result.ts";
import { interleaved, median, p95 } from "./samples.ts";

/** What the other thread is told to do; each measurement has ports of its own. */
export type Errand =
  | { readonly type: "send" | "send-bare"; readonly count: number; readonly port: MessagePort }
  | { readonly type: "echo" | "echo-bare"; readonly port: MessagePort }
  | { readonly type: "ask"; readonly count: number; readonly port: MessagePort };

/** 200 bytes on the wire, about. */
export const LETTER: FromAgent = { type: "text", turn: 1, text: "x".repeat(170) };

/** Typed mail between two threads, against a bare port doing the same. */
export async function run({ quick }: BenchOptions): Promise<BenchResult[]> {
  const worker = new Worker(new URL("./inside/mail-partner.ts", import.meta.url));
  const count = quick ? 20_000 : 100_000;
  const rounds = quick ? 3 : 7;
  try {
    const oneWay = await interleaved(rounds, {
      ours: () => perSecond(count, () => receive(worker, count)),
      bare: () => perSecond(count, () => receiveBare(worker, count)),
    });
    const trips = { ours: roundTrips(worker), bare: roundTripsBare(worker) };
    const back = await interleaved(count / 20, trips);
    const asked = await askMany(worker, count / 20);
    return [
      {
        name: "mail one way, 200 bytes",
        unit: "k/s",
        ours: median(oneWay.ours),
        floor: median(oneWay.bare),
        target: partOfFloor(0.5),
      },
      {
        name: "mail there and back",
        unit: "µs",
        ours: median(back.ours) * 1000,
        floor: median(back.bare) * 1000,
        target: timesFloor(2),
        note: p95(back.ours.map((ms) => ms * 1000)),
      },
      {
        name: "  a service call there and back",
        unit: "µs",
        ours: median(asked) * 1000,
        floor: median(back.bare) * 1000,
        target: null,
        note: p95(asked.map((ms) => ms * 1000)),
      },
    ];
  } finally {
    await worker.terminate();
  }
}

async function perSecond(count: number, receiveAll: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await receiveAll();
  return count / (performance.now() - began);
}

/** The partner's end goes with the errand; ours is answered. */
function sendOn(worker: Worker, errand: (port: MessagePort) => Errand): MessagePort {
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(errand(port2), [port2]);
  return port1;
}

function receive(worker: Worker, count: number): Promise<void> {
  const mailbox = portMailbox<FromAgent, FromAgent>(
    sendOn(worker, (port) => ({ type: "send", count, port })),
    { incoming: FromAgent },
  );
  return countTo(count, (one) => mailbox.onMail(one)).then(() => mailbox.close());
}

function receiveBare(worker: Worker, count: number): Promise<void> {
  const port = sendOn(worker, (other) => ({ type: "send-bare", count, port: other }));
  return countTo(count, (one) => port.on("message", one)).then(() => port.close());
}

function countTo(count: number, listen: (one: () => void) => void): Promise<void> {
  let missing = count;
  return new Promise((resolve) => {
    listen(() => {
      missing -= 1;
      if (missing === 0) resolve();
    });
  });
}

function roundTrips(worker: Worker): () => Promise<number> {
  const mailbox = portMailbox<FromAgent, FromAgent>(
    sendOn(worker, (port) => ({ type: "echo", port })),
    { incoming: FromAgent },
  );
  return () =>
    timed(
      (back) => mailbox.onMail(back),
      () => void mailbox.send(LETTER),
    );
}

function roundTripsBare(worker: Worker): () => Promise<number> {
  const port = sendOn(worker, (other) => ({ type: "echo-bare", port: other }));
  let arrived: () => void = () => {};
  port.on("message", () => arrived());
  return () =>
    timed(
      (back) => {
        arrived = back;
      },
      () => port.postMessage(LETTER),
    );
}

function timed(listen: (back: () => void) => void, send: () => void): Promise<number> {
  return new Promise((resolve) => {
    const began = performance.now();
    listen(() => resolve(performance.now() - began));
    send();
  });
}

/** The partner asks and measures: that is the way service calls go. */
async function askMany(worker: Worker, count: number): Promise<number[]> {
  const port = sendOn(worker, (other) => ({ type: "ask", count, port: other }));
  const services = servicesWith({ before: async () => ({ type: "go" }) });
  serveServices(services, port);
  const times = await new Promise<number[]>((resolve) => worker.once("message", resolve));
  port.close();
  return times;
}
