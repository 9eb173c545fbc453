import { describe, expect, it } from "vitest";
import { seededBy } from "../faults/seeded.ts";
import { settled } from "../support/fake-clock.ts";
import { MemoryEngine } from "../support/memory-carrier.ts";
import { conforms, type Ground } from "./conformance.ts";

describe("the carrier in memory", () => {
  conforms(async (): Promise<Ground> => {
    const engine = new MemoryEngine();
    return {
      session: engine.connect("session"),
      runner: engine.connect("runner"),
      other: engine.connect("other"),
      crash: async () => engine.setDown(true),
      restart: async () => engine.setDown(false),
    };
  });
});

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
