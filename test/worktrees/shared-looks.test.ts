import { expect, test } from "vitest";
import { SharedLooks } from "../../src/worktrees/environment.ts";

/** Looks that end when the test says so. */
function openLooks() {
  const looks = new SharedLooks<number>();
  const begun: PromiseWithResolvers<number>[] = [];
  const ask = (key = "a") =>
    looks.ask(key, () => {
      const look = Promise.withResolvers<number>();
      begun.push(look);
      return look.promise;
    });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { ask, begun, settled };
}

test("who asks during a look gets the next one, together with all who ask before that begins", async () => {
  const { ask, begun, settled } = openLooks();
  const first = ask();
  const others = [ask(), ask()];
  await settled();
  expect(begun.length).toBe(1);
  begun[0]?.resolve(1);
  expect(await first).toBe(1);
  await settled();
  expect(begun.length).toBe(2);
  const late = ask();
  begun[1]?.resolve(2);
  expect(await Promise.all(others)).toEqual([2, 2]);
  await settled();
  begun[2]?.resolve(3);
  expect(await late).toBe(3);
  await settled();
  const alone = ask();
  expect(begun.length).toBe(4);
  begun[3]?.resolve(4);
  expect(await alone).toBe(4);
});

test("a look that fails fails for those who share it, and the next one begins", async () => {
  const { ask, begun, settled } = openLooks();
  const first = ask();
  const second = ask();
  begun[0]?.reject(new Error("no"));
  await expect(first).rejects.toThrow("no");
  await settled();
  begun[1]?.resolve(2);
  expect(await second).toBe(2);
});

test("other keys do not wait", () => {
  const { ask, begun } = openLooks();
  void ask("a");
  void ask("b");
  expect(begun.length).toBe(2);
});
