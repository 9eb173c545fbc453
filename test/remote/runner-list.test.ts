import { expect, it } from "vitest";
import type { RunnerInfo } from "../../src/mailbox/runners.ts";
import { RunnerList } from "../../src/remote/runner-list.ts";
import { FakeClock } from "../support/fake-clock.ts";

const info = (id: string, more: Partial<RunnerInfo> = {}): RunnerInfo => ({
  ...{
    id,
    name: id,
    pools: ["gpu"],
    slots: 1,
    used: 1,
    version: "1",
    sandbox: "off",
    draining: false,
    load: 0,
  },
  ...more,
});
const rests = { rests: "less than 2 GB of its disk are free" };

it.each<[string, RunnerInfo[], string]>([
  [
    "without a runner",
    [info("r1", { pools: ["cpu"] })],
    "waits for a runner of pool gpu; none is connected that has this fleet key",
  ],
  ["with a busy one", [info("r1"), info("r2", rests)], "waits for a free slot of pool gpu (1 connected)"],
  [
    "with those that shut down",
    [info("r1", { draining: true })],
    "waits for a runner of pool gpu; all of them are shutting down",
  ],
  [
    "with those that take nothing for a while",
    [info("r1", { draining: true }), info("r2", rests)],
    "waits for a runner of pool gpu; r2 takes nothing: less than 2 GB of its disk are free",
  ],
])("a pool %s says why an agent waits", async (_, runners, why) => {
  const clock = new FakeClock();
  const list = new RunnerList(clock);
  list.noteAsked();
  await clock.advance(5_000);
  for (const runner of runners) list.note(runner);
  expect(list.whyWaits("gpu")).toBe(why);
  await clock.advance(30_000);
  expect(list.whyWaits("gpu")).toContain("none is connected");
});

it("says nothing of missing runners before those that were asked had time to respond", async () => {
  const clock = new FakeClock();
  const list = new RunnerList(clock);
  expect(list.whyWaits("gpu")).toBeNull();
  list.noteAsked();
  await clock.advance(4_900);
  expect(list.whyWaits("gpu")).toBeNull();
  list.noteAsked();
  await clock.advance(100);
  expect(list.whyWaits("gpu")).toContain("none is connected that has this fleet key");
  list.noteAway();
  list.noteAsked();
  expect(list.whyWaits("gpu")).toBeNull();
});

it("does not speak of a key if the session starts its runner itself", async () => {
  const clock = new FakeClock();
  const list = new RunnerList(clock);
  list.noteAsked();
  await clock.advance(5_000);
  expect(list.whyWaits("gpu", true)).toBe("waits for a runner of pool gpu; none is connected");
});
