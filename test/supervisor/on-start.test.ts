import { expect, test } from "vitest";
import type { ActorId } from "../../src/mailbox/ids.ts";
import { supervised } from "../support/supervised.ts";

test("a spawn reports its agent's ID immediately, by which it can be found and ended while it works", async () => {
  const { supervisor } = supervised("in-thread", () => new Promise<never>(() => {}));
  const started = Promise.withResolvers<ActorId>();
  const result = supervisor.spawn({ prompt: "look", onStart: started.resolve });
  const id = await started.promise;
  expect(supervisor.tree()).toMatchObject([{ id, summary: null }]);
  supervisor.cancel(id, "Enough.");
  expect(await result).toMatchObject({ id, summary: { status: "cancelled", reason: "Enough." } });
});

test("one that cannot start tells no id", async () => {
  const { supervisor } = supervised("in-thread", () => ({ text: "Done." }));
  const ids: ActorId[] = [];
  const spawned = supervisor.spawn({ prompt: "look", type: "nobody", onStart: (id) => ids.push(id) });
  await expect(spawned).rejects.toThrow("nobody");
  expect(ids).toEqual([]);
});
