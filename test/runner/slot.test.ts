import { describe, expect, it } from "vitest";
import { Slot } from "../../src/runner/slot.ts";
import { FakeClock } from "../support/fake-clock.ts";

function opened() {
  const clock = new FakeClock();
  const lent: boolean[] = [];
  const wait = Promise.withResolvers<string>();
  const state = { isBusy: false };
  const slot = new Slot(clock, (isLent) => lent.push(isLent));
  return { clock, lent, wait, state, slot, waits: () => slot.lendWhile(wait.promise, () => state.isBusy) };
}

describe("the slot of an attempt", () => {
  it("is lent after a second of waiting, and the attempt's again with the answer", async () => {
    const { clock, lent, wait, slot, waits } = opened();
    const answer = waits();
    await clock.advance(900);
    expect(lent).toEqual([]);
    await clock.advance(5_000);
    expect([lent, slot.isLent]).toEqual([[true], true]);
    wait.resolve("done");
    expect(await answer).toBe("done");
    await clock.advance(5_000);
    expect([lent, slot.isLent]).toEqual([[true, false], false]);
  });

  it("is not lent while a call of the attempt runs, and is when that ends", async () => {
    const { clock, lent, state, waits } = opened();
    state.isBusy = true;
    void waits();
    await clock.advance(5_000);
    expect(lent).toEqual([]);
    state.isBusy = false;
    await clock.advance(1_000);
    expect(lent).toEqual([true]);
    state.isBusy = true;
    await clock.advance(1_000);
    expect(lent).toEqual([true, false]);
  });

  it("stays lent until the last of several waits ends, however it ends", async () => {
    const { clock, lent, wait, slot, waits } = opened();
    const other = Promise.withResolvers<void>();
    const failing = slot.lendWhile(other.promise, () => false);
    const answer = waits();
    await clock.advance(1_000);
    wait.resolve("");
    await answer;
    expect(lent).toEqual([true]);
    other.reject(new Error("cut"));
    await expect(failing).rejects.toThrow("cut");
    expect(lent).toEqual([true, false]);
  });

  it("leaves no timer when it is closed", async () => {
    const { clock, lent, slot, waits } = opened();
    void waits();
    await clock.advance(1_000);
    slot.close();
    expect([lent, clock.pending]).toEqual([[true, false], 0]);
  });
});
