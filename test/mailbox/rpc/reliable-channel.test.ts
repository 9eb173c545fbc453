import { describe, expect, it } from "vitest";
import type { Frame } from "../../../src/mailbox/rpc/frames.ts";
import { type Packet, reliableChannel } from "../../../src/mailbox/rpc/reliable-channel.ts";
import { seededBy } from "../../faults/seeded.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const frame = (name: string, patient?: true): Frame => ({
  ...{ type: "notice", name, body: null },
  ...(patient ? { patient } : {}),
});

/** Two ends; `carry` decides what becomes of a packet. */
function pair(carry: (deliver: () => void, packet: Packet) => void = (deliver) => deliver()) {
  const clock = new FakeClock();
  const packets: Packet[] = [];
  const received: string[] = [];
  const one = reliableChannel({
    clock,
    send(packet) {
      packets.push(packet);
      carry(() => other.receive(packet), packet);
    },
  });
  const other = reliableChannel({ clock, send: (packet) => carry(() => one.receive(packet), packet) });
  other.onFrame((got) => received.push("name" in got ? got.name : got.type));
  const names = () => packets.map(({ frames }) => frames.map((sent) => ("name" in sent ? sent.name : "")));
  return { clock, one, other, received, names };
}

describe("a patient frame", () => {
  it("travels with the next one, before it, in one packet", async () => {
    const { one, received, names } = pair();
    one.post(frame("a", true));
    one.post(frame("b", true));
    expect(received).toEqual([]);
    one.post(frame("c"));
    expect(names()).toEqual([["a", "b", "c"]]);
    expect(received).toEqual(["a", "b", "c"]);
  });

  it("is sent for itself after a twentieth of a second", async () => {
    const { clock, one, received, names } = pair();
    one.post(frame("a", true));
    await clock.advance(49);
    expect(received).toEqual([]);
    await clock.advance(1);
    expect(received).toEqual(["a"]);
    await clock.advance(5_000);
    expect(names()).toEqual([["a"]]);
  });

  it("is sent when its channel closes", () => {
    const { one, received } = pair();
    one.post(frame("a", true));
    one.close();
    expect(received).toEqual(["a"]);
  });

  it("takes an acknowledgement along that is due", async () => {
    const { clock, one, other, names } = pair();
    other.post(frame("x"));
    one.post(frame("a", true));
    await clock.advance(1_000);
    expect(names()).toEqual([["a"]]);
    expect(other.unreceived).toBe(0);
  });
});

describe("a channel over a carrier that loses, repeats and reorders", () => {
  it.each([1, 2, 3, 4, 5])(
    "delivers each frame once and in order, patient or not (seed %i)",
    async (seed) => {
      const { next } = seededBy(seed);
      const late: (() => void)[] = [];
      const { clock, one, received } = pair((deliver) => {
        const roll = next();
        if (roll < 0.2) return;
        if (roll < 0.4) late.push(deliver);
        else deliver();
        if (roll > 0.9) deliver();
      });
      const all = Array.from({ length: 200 }, (_, n) => `${n}`);
      for (const name of all) {
        one.post(frame(name, next() < 0.5 ? true : undefined));
        if (next() < 0.3) await clock.advance(60);
        if (next() < 0.2) for (const deliver of late.splice(0).reverse()) deliver();
      }
      for (let tries = 0; tries < 100 && one.unreceived > 0; tries += 1) await clock.advance(30_000);
      expect(received).toEqual(all);
      expect(one.unreceived).toBe(0);
    },
  );
});
