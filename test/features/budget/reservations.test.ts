import { expect, test } from "vitest";
import { id, ledger, MODEL, reply } from "./accounts.ts";

const [a, b] = [id("A"), id("B")];
const never = new AbortController().signal;

test("money that a request holds is granted to no other one: that waits until it is released (D5)", async () => {
  const session = ledger({ usd: 10 });
  for (const actor of [a, b]) session.open({ actor, parent: null });
  const reserve = (actor: typeof a) =>
    session.reserve(
      { actor, model: MODEL, promptTokens: 3_000, exact: true, maxTokens: 4_000, last: false },
      false,
      never,
    );
  const first = await reserve(a);
  expect(first).toMatchObject({ type: "granted", maxTokens: 4_000 });
  let answer: unknown = "waits";
  const second = reserve(b).then((given) => {
    answer = given;
  });
  // It would have been answered by now.
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
  expect(answer).toBe("waits");
  session.spend(a, MODEL, reply(1_000), { reservation: first.type === "granted" ? first.id : -1 });
  await second;
  expect(answer).toMatchObject({ type: "granted", maxTokens: 4_000 });
});
