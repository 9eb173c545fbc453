import { expect, test } from "vitest";
import { MAIN, SessionId } from "../../src/mailbox/ids.ts";
import { AttemptOffer } from "../../src/remote/attempt-offer.ts";

test("an attempt that a runner returns waits as long for the next one", async () => {
  let now = 0;
  let taken = false;
  const jobs: string[] = [];
  const carrier = {
    isTaken: async () => taken,
    offer: async (_pool: string, { id }: { id: string }) => void jobs.push(id),
  };
  const open = { carrier, sealer: { seal: () => "sealed" } };
  const offer = new AttemptOffer({
    id: { session: SessionId.parse("session1"), actor: MAIN, attempt: 1 },
    actor: {
      start: { spec: { tools: [], system: [] }, elsewhere: { offer: {} } },
      runner: null,
      sendRules: () => ({}),
    },
    line: { open: async () => open, current: open },
    clock: { now: () => now },
    isWanted: () => true,
    goesFirst: () => true,
  } as never);
  const at = async (ms: number, isTaken: boolean) => {
    now = ms;
    taken = isTaken;
    await offer.send();
  };
  await at(0, false);
  await at(11_000, true);
  await at(22_000, false);
  await at(33_000, true);
  expect(new Set(jobs).size).toBe(1);
});
