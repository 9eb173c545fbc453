import { describe, expect, test } from "vitest";
import { startTimeout } from "../../src/mcp/broker/request-timeout.ts";
import { defaultMcpLimits, limitsFromEnvironment } from "../../src/mcp/limits.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { never } from "./opened-mcp.ts";

const times = { quietMs: 100, longestMs: 250 };

describe("no call hangs", () => {
  test("without a sign of life its quiet time is all it has", async () => {
    const clock = new FakeClock();
    const time = startTimeout(clock, times, never);
    await clock.advance(99);
    expect(time.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(time.signal.aborted).toBe(true);
    expect(time.expired).toBe("100 ms without progress");
  });

  test("signs of life keep it going, up to the longest time", async () => {
    const clock = new FakeClock();
    const time = startTimeout(clock, times, never);
    for (let step = 0; step < 4; step++) {
      await clock.advance(60);
      time.progress();
    }
    expect(time.signal.aborted).toBe(false);
    await clock.advance(10);
    expect(time.expired).toBe("250 ms in all");
  });

  test("nothing is spent while a person is asked, by however many questions", async () => {
    const clock = new FakeClock();
    const time = startTimeout(clock, times, never);
    const one = time.hold();
    const two = time.hold();
    await clock.advance(200);
    one();
    await clock.advance(200);
    expect(time.signal.aborted).toBe(false);
    two();
    await clock.advance(0);
    expect(time.expired).toBe("250 ms in all");
  });

  test("the asker's abort is passed on; at the end no timer is left", async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const time = startTimeout(clock, times, stop.signal);
    stop.abort(new Error("enough"));
    expect(time.signal.reason).toEqual(new Error("enough"));
    expect(time.expired).toBeNull();
    expect(clock.pending).toBe(0);
    const other = startTimeout(clock, times, never);
    other.end();
    // Progress may come late.
    other.progress();
    expect(clock.pending).toBe(0);
  });
});

test("the variables people know set the limits; nonsense sets nothing", () => {
  const env = { MCP_TIMEOUT: "5000", MCP_TOOL_TIMEOUT: "9000000", MAX_MCP_OUTPUT_TOKENS: "100" };
  expect(limitsFromEnvironment(env)).toEqual({
    ...{ startMs: 5_000, callMs: 9_000_000, longestCallMs: 9_000_000, resultChars: 400 },
  });
  expect(
    limitsFromEnvironment({ MCP_TIMEOUT: "soon", MCP_TOOL_TIMEOUT: "-1", MAX_MCP_OUTPUT_TOKENS: "" }),
  ).toEqual({});
  expect(defaultMcpLimits.resultChars).toBe(100_000);
});
