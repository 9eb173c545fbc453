import { describe, expect, it } from "vitest";
import { Restarts } from "../../src/lib/restarts.ts";

describe("restarts of a permanent part (D2, E)", () => {
  it("are made up to the intensity within a period, and no more", () => {
    let now = 0;
    const restarts = new Restarts({ now: () => now }, { max: 3, periodMs: 60_000 });
    const asked = [0, 10, 20, 30].map((at) => {
      now = at;
      return restarts.again();
    });
    expect(asked).toEqual([true, true, true, false]);
  });

  it("count again once the oldest lies a period back: a part that breaks once an hour is always started again", () => {
    let now = 0;
    const restarts = new Restarts({ now: () => now }, { max: 1, periodMs: 1_000 });
    const asked = [0, 999, 1_000, 1_999, 5_000].map((at) => {
      now = at;
      return restarts.again();
    });
    expect(asked).toEqual([true, false, true, false, true]);
  });
});
