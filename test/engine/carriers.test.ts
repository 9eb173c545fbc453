import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { EngineAwayError } from "../../src/engine/limits.ts";
import { openPipe } from "../../src/engine/pipe-carrier.ts";
import { seededBy } from "../faults/seeded.ts";
import { settled } from "../support/fake-clock.ts";
import { MemoryEngine } from "../support/memory-carrier.ts";
import { conforms, type Ground, survives } from "./conformance.ts";

describe("the carrier in memory", () => {
  const open = async (): Promise<Ground> => {
    const engine = new MemoryEngine();
    return {
      session: engine.connect("session"),
      runner: engine.connect("runner"),
      other: engine.connect("other"),
      crash: async () => engine.setDown(true),
      restart: async () => engine.setDown(false),
    };
  };
  conforms(open);
  survives(open);
});

describe("the carrier over a pipe", () => {
  conforms(async (): Promise<Ground> => {
    const { session, runner } = await openPair();
    return { session, runner };
  });

  it("rejects everything when the other end has gone, and says so", async () => {
    const { session, runner } = await openPair();
    const states: boolean[] = [];
    session.onUp((isUp) => states.push(isUp));
    const getting = session.getBlob("0".repeat(64));
    await runner.close();
    await expect(session.publish("t", "")).rejects.toThrow(EngineAwayError);
    await expect(session.offer("p", { id: "a", body: "" })).rejects.toThrow(EngineAwayError);
    await expect(session.listen("t", () => {})).rejects.toThrow(EngineAwayError);
    await expect(getting.catch((error: unknown) => error)).resolves.toSatisfy(
      (got) => got === null || got instanceof EngineAwayError,
    );
    expect([session.isUp, ...states]).toEqual([false, false]);
  });

  it("ignores and counts lines that it cannot read, however long they are", async () => {
    const { session, runner, toSession } = await openPair();
    const heard: string[] = [];
    await session.listen("t", (text) => heard.push(text));
    const lines = [
      "Welcome to r7!",
      "",
      "{",
      '{"type":"attempt"}',
      '{"type":"unknown"}',
      "[]",
      "x".repeat(13_000_000),
    ];
    toSession.write(`${lines.join("\n")}\n`);
    await runner.publish("t", "after");
    await vi.waitFor(() => expect(heard).toEqual(["after"]));
    expect(session.malformed).toBe(lines.length);
  });

  it("takes no slot from what claims the end of attempts that were not sent", async () => {
    const { session, runner, toSession } = await openPair();
    const taken: string[] = [];
    runner.take(["p"], 1, ({ id }) => new Promise(() => taken.push(id)));
    for (const id of ["a", "b", "c"]) await session.offer("p", { id, body: "" });
    await vi.waitFor(() => expect(taken).toEqual(["a"]));
    for (const id of ["b", "x"])
      toSession.write(`{"type":"ended","taking":0,"pool":"p","id":"${id}","isRun":true}\n`);
    await runner.publish("t", "");
    await settled();
    expect(taken).toEqual(["a"]);
  });

  it.each(["input", "output"] as const)("closes immediately when its %s has gone", async (which) => {
    const { session, toSession, toRunner } = await openPair();
    (which === "input" ? toSession : toRunner).destroy();
    await vi.waitUntil(() => !session.isUp);
    const from = performance.now();
    await session.close();
    expect(performance.now() - from).toBeLessThan(2_000);
    expect(toRunner.destroyed).toBe(true);
  });

  it.each([
    ['{"type":"hello","wire":1}\n', /runner speaks version 1 and this program 2/],
    [null, /ended before it answered/],
  ])("refuses a program that answers %j", async (line, message) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    input.end(line ?? undefined);
    await expect(openPipe({ input, output })).rejects.toThrow(message);
  });
});

async function openPair() {
  const [toRunner, toSession] = [new PassThrough(), new PassThrough()];
  const [session, runner] = await Promise.all([
    openPipe({ input: toSession, output: toRunner }),
    openPipe({ input: toRunner, output: toSession }),
  ]);
  return { session, runner, toSession, toRunner };
}

describe("its faults", () => {
  it("loses, repeats and reorders messages as its seed says", async () => {
    const random = seededBy(7).next;
    const engine = new MemoryEngine({ random, faults: { drop: 0.2, duplicate: 0.2, reorder: 0.3 } });
    const [one, two] = [engine.connect("one"), engine.connect("two")];
    const heard: number[] = [];
    await two.listen("t", (text) => heard.push(Number(text)));
    for (let at = 0; at < 200; at += 1) await one.publish("t", String(at));
    await wait();
    const { dropped, repeated, delivered } = engine.counts;
    expect(heard.length).toBe(200 - dropped + repeated);
    expect(delivered).toBe(heard.length);
    expect(dropped).toBeGreaterThan(10);
    expect(repeated).toBeGreaterThan(10);
    expect(heard).not.toEqual([...heard].sort((a, b) => a - b));
  });

  it("cuts one direction: what is sent arrives although the call rejects, or the reverse", async () => {
    const engine = new MemoryEngine();
    const [one, two] = [engine.connect("one"), engine.connect("two")];
    const heard: string[] = [];
    await one.listen("t", (text) => heard.push(`one ${text}`));
    await two.listen("t", (text) => heard.push(`two ${text}`));
    engine.cut("one", "in");
    await expect(one.publish("t", "a")).rejects.toThrow("away");
    await wait();
    engine.cut("one", "out");
    await expect(one.publish("t", "b")).rejects.toThrow("away");
    await two.publish("t", "c");
    await wait();
    expect(heard.sort()).toEqual(["one c", "two a", "two c"]);
  });
});

/** Lets everything arrive that is under way: each message takes a task of its own. */
async function wait(): Promise<void> {
  for (let turn = 0; turn < 400; turn += 1) await settled();
}
