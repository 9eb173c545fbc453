import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { type Limits, limitsOf } from "../../src/settings/limits.ts";
import { everyDayHosts, supervised } from "../support/supervised.ts";

describe("a limit never switches itself off", () => {
  const odd = [Number.NaN, -1, -1e9, 0, 0.5, 1e9, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const names: (keyof Limits)[] = [
    "maxAgents",
    "maxDepth",
    "patienceMs",
    "idleMs",
    "graceMs",
    "maxTokens",
    "maxTurns",
    "thinkingTokens",
    "parallelCalls",
  ];

  test.each(names)("%s is a whole number in its range, whatever was asked for", (name) => {
    for (const value of odd) {
      const limit = limitsOf({ [name]: value })[name];
      expect(Number.isSafeInteger(limit)).toBe(true);
      expect(limit).toBeGreaterThanOrEqual(0);
    }
    expect(limitsOf({ [name]: Number.NaN })[name]).toBe(limitsOf()[name]);
    expect(limitsOf({ [name]: undefined } as Partial<Limits>)[name]).toBe(limitsOf()[name]);
  });

  test("at least one agent may run, for at least one turn; at most 1,024 agents", () => {
    expect(limitsOf({ maxAgents: 0, maxTurns: 0 })).toMatchObject({ maxAgents: 1, maxTurns: 1 });
    expect(limitsOf({ maxAgents: 1e9 }).maxAgents).toBe(1_024);
  });
});

test("a timer for longer than a timer can be set does not go off immediately", async () => {
  let early = false;
  const withdraw = [2 ** 31, 1e15, Number.POSITIVE_INFINITY].map((ms) =>
    systemClock.after(ms, () => {
      early = true;
    }),
  );
  // Node cuts such a timer to 1 ms.
  await new Promise<void>((resolve) => systemClock.after(20, resolve));
  for (const stop of withdraw) stop();
  expect(early).toBe(false);
});

describe.each(everyDayHosts)("odd values, %s", (host) => {
  test.each([Number.NaN, -5, 0])(
    "a definition's maxTurns of %d still lets it answer, and end",
    async (maxTurns) => {
      const { supervisor } = supervised(
        host,
        () => ({ text: "again", calls: [{ name: "Nothing", input: {} }] }),
        {
          agents: [{ name: "Odd", whenToUse: "never", prompt: "", tools: [], maxTurns }],
          limits: { maxTurns: 3 },
        },
      );
      const { summary } = await supervisor.spawn({ type: "Odd", prompt: "go" });
      expect(summary).toMatchObject({ status: "out_of_turns", text: "again" });
    },
  );

  test("a budget or a deadline that is not a number is refused with a sentence; an infinite one is no limit", async () => {
    const { supervisor } = supervised(host, () => ({ text: "ok" }));
    const spawn = (more: object) => supervisor.spawn({ prompt: "go", ...more });
    await expect(spawn({ tokenBudget: Number.NaN })).rejects.toThrow(/tokenBudget is NaN; give/);
    await expect(spawn({ timeoutMs: Number.NaN })).rejects.toThrow(/timeoutMs is NaN; give/);
    expect((await spawn({ timeoutMs: Number.POSITIVE_INFINITY })).summary.status).toBe("done");
    expect((await spawn({ tokenBudget: Number.POSITIVE_INFINITY })).summary.status).toBe("done");
    expect((await spawn({ tokenBudget: 0 })).summary).toMatchObject({ status: "over_budget", text: "ok" });
  });

  test("a deadline of no time ends it as timed out", async () => {
    const { supervisor } = supervised(host, () => ({ after: new Promise(() => {}) }));
    expect((await supervisor.spawn({ prompt: "go", timeoutMs: 0 })).summary.status).toBe("timed_out");
  });

  test("a signal that is aborted already: the one summary is cancelled, and no model is asked for an agent", async () => {
    const { supervisor, model } = supervised(host, () => ({ text: "ok" }));
    const signal = AbortSignal.abort();
    expect((await supervisor.spawn({ prompt: "go", signal })).summary.status).toBe("cancelled");
    expect(model.requests).toHaveLength(0);
    expect((await supervisor.prompt("go", signal)).summary.status).toBe("cancelled");
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
  });
});

test("a directory that does not exist, and an empty prompt, are refused with a sentence", async () => {
  expect(() => supervised("in-thread", [], { cwd: "/no/such/folder" })).toThrow(
    /There is no directory \/no\/such\/folder/,
  );
  const { supervisor } = supervised("in-thread", [{ text: "x" }]);
  await expect(supervisor.prompt("  ")).rejects.toThrow(/prompt is empty/);
  await expect(supervisor.spawn({ prompt: "" })).rejects.toThrow(/prompt is empty/);
});

test("a relative folder is the one it was when the session began", async () => {
  const { supervisor, model } = supervised("in-thread", [{ text: "x" }], { cwd: "." });
  await supervisor.prompt("hi");
  expect(model.requests[0]?.system.join()).toContain(`Working directory: ${process.cwd()}`);
});
