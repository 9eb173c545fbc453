import { expect, test } from "vitest";
import type { ModelFailure } from "../../src/model/client.ts";
import { FakeClock, settled } from "../support/fake-clock.ts";
import { supervised } from "../support/supervised.ts";

const LIMITED: ModelFailure = {
  kind: "rate_limit",
  message: "The limit is reached.",
  retryAfterMs: 5_400_000,
};

test("three agents at a limit of 90 minutes are paused, not failed; it is reported once, and no deadline runs in the pause", async () => {
  const clock = new FakeClock();
  const { supervisor, events } = supervised(
    "in-thread",
    () =>
      clock.now() < 5_400_000
        ? { failure: { ...LIMITED, retryAfterMs: 5_400_000 - clock.now() } }
        : { text: "Done." },
    { clock, limits: { limitPatienceMs: 24 * 3_600_000, agentMinutes: 5 } },
  );
  const all = [1, 2, 3].map((n) => supervisor.spawn({ type: "Explore", prompt: `Look ${n}.` }));
  while (supervisor.tree().filter(({ state }) => state === "paused").length < 3) {
    await clock.advance(10);
    await settled();
  }
  const [paused] = events.filter(({ type }) => type === "paused");
  expect(paused).toMatchObject({ reason: "The limit is reached.", until: "2030-01-01T01:30:00.000Z" });
  expect(supervisor.tree()[0]?.activity).toMatchObject({ type: "paused", at: "2030-01-01T01:30:00.000Z" });
  await clock.advance(5_000_000);
  expect(supervisor.tree().map(({ state }) => state)).toEqual(["paused", "paused", "paused"]);
  const ends = Promise.all(all);
  let isOver = false;
  void ends.then(() => {
    isOver = true;
  });
  await clock.advance(402_000);
  while (!isOver) await clock.advance(1);
  for (const { summary } of await ends) expect(summary).toMatchObject({ status: "done", text: "Done." });
  expect(events.filter(({ type }) => type === "paused")).toHaveLength(1);
});
