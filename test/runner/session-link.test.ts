import { expect, test } from "vitest";
import type { Packet } from "../../src/mailbox/rpc/reliable-channel.ts";
import { SessionLink } from "../../src/runner/session-link.ts";
import { FakeClock } from "../support/fake-clock.ts";

const MINUTE_MS = 60_000;

function linkTo() {
  const clock = new FakeClock();
  const packets: Packet[] = [];
  const nothing = () => {};
  const link = new SessionLink({
    ...{ clock, send: (packet) => packets.push(packet) },
    notices: { cancel: nothing, watch: nothing, park: nothing, rules: nothing },
  });
  const acknowledge = () =>
    link.receive({ n: 1, frames: [], got: packets.reduce((sum, { frames }) => sum + frames.length, 0) });
  return { clock, link, acknowledge };
}

test("a session that has died is noticed within a minute by a sign of life, when the runner requests nothing (issue 22)", async () => {
  const { clock, link } = linkTo();
  await clock.advance(MINUTE_MS - 1);
  expect(link.silentMs).toBe(0);
  await clock.advance(10 * MINUTE_MS + 1);
  expect(link.silentMs).toBe(10 * MINUTE_MS);
  link.close();
});

test("a session that has died is noticed also if a report was under way, for which no request waits (issue 22)", async () => {
  const { clock, link } = linkTo();
  link.remark("a sentence");
  await clock.advance(11 * MINUTE_MS);
  expect(link.isThrough).toBe(false);
  expect(link.silentMs).toBe(10 * MINUTE_MS);
  link.close();
});

test("a session that receives the signs does not count as silent, however long it says nothing", async () => {
  const { clock, link, acknowledge } = linkTo();
  for (let minute = 0; minute < 40; minute += 1) {
    await clock.advance(MINUTE_MS);
    acknowledge();
    expect(link.silentMs).toBe(0);
  }
  link.close();
});
