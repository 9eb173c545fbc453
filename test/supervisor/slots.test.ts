import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ActorId } from "../../src/mailbox/ids.ts";
import { Slots } from "../../src/supervisor/slots.ts";

const actor = (n: number) => ActorId.parse(`agent${n}`);
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("slots", () => {
  test("the rest wait in order and are never refused (A20.5)", async () => {
    const granted: string[] = [];
    const slots = new Slots(2, (id) => granted.push(id));
    for (let n = 0; n < 5; n += 1) slots.join(actor(n));
    await settled();
    expect(granted).toEqual(["agent0", "agent1"]);
    slots.release();
    slots.release();
    await settled();
    slots.release();
    await settled();
    expect(granted).toEqual(["agent0", "agent1", "agent2", "agent3", "agent4"]);
  });

  test("who returns from waiting stands ahead of those who never ran", async () => {
    const granted: string[] = [];
    const slots = new Slots(1, (id) => granted.push(id));
    slots.join(actor(0));
    slots.join(actor(1));
    await settled();
    slots.rejoin(actor(9));
    slots.release();
    await settled();
    expect(granted).toEqual(["agent0", "agent9"]);
  });

  test("who leaves the line is never granted a slot, and the others keep their order", async () => {
    const granted: string[] = [];
    const slots = new Slots(1, (id) => granted.push(id));
    for (let n = 0; n < 4; n += 1) slots.join(actor(n));
    slots.leave(actor(2));
    await settled();
    slots.release();
    await settled();
    slots.release();
    await settled();
    expect(granted).toEqual(["agent0", "agent1", "agent3"]);
    expect(slots.waiting).toBe(0);
  });

  test("never more than the limit, and the turn of each comes, in any order of joins and releases", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.boolean(), { maxLength: 40 }),
        async (max, joins) => {
          const granted: string[] = [];
          const slots = new Slots(max, (id) => granted.push(id));
          let joined = 0;
          for (const join of joins) {
            if (join) slots.join(actor(joined++));
            else if (slots.held > 0) slots.release();
            await settled();
            expect(slots.held).toBeLessThanOrEqual(max);
          }
          while (slots.held > 0) slots.release();
          await settled();
          while (slots.held > 0) {
            slots.release();
            await settled();
          }
          expect(granted).toEqual(Array.from({ length: joined }, (_, n) => `agent${n}`));
        },
      ),
      { seed: 6, numRuns: 100 },
    );
  });
});
