import { describe, expect, test } from "vitest";
import { formatLimits, spawnLimits } from "../../../src/features/budget/spawn-limits.ts";

const bounds = { maxDepth: 2, maxChildren: 200, maxAgentsPerSession: 1000 };
const main = { depth: 0, children: 0, agents: 0 };

describe("how many agents there may be (C6)", () => {
  test("the defaults admit 128 calls of one turn and 256 agents of a session", () => {
    expect(spawnLimits({ ...main, children: 127, agents: 255 }, bounds)).toBeNull();
  });

  test.each([
    [
      { ...main, depth: 2 },
      "agents may be nested 2 deep (troupe.maxDepth), and you are at depth 2. Do the task yourself.",
    ],
    [
      { ...main, children: 200 },
      "you have started 200 agents, and may start 200 (troupe.maxChildren). Do the task yourself, or answer with the reports that you have.",
    ],
    [
      { ...main, agents: 1000 },
      "this session has started 1,000 agents, and may start 1,000 (troupe.maxAgentsPerSession). Do the task yourself, or answer with what you have.",
    ],
  ])("a limit is a sentence for the model: %o", (standing, sentence) => {
    expect(spawnLimits(standing, bounds)).toBe(`This agent was not started: ${sentence}`);
    expect(
      spawnLimits({ ...standing, depth: standing.depth + 1, children: 999, agents: 9999 }, bounds),
    ).not.toBeNull();
  });
});

describe("agents know their depth and their limits (C6)", () => {
  const agent = { depth: 1, startsAgents: true, maxTurns: 20, budget: {} };

  test("one that may start others", () => {
    expect(formatLimits(agent, { ...bounds, maxDepth: 3 })).toBe(
      "You are an agent at depth 1 of 3: you may start 200 agents. Never hand on your whole task to one.\nYour limit is 20 turns: before it is reached you are asked for your answer, so keep what matters at hand.",
    );
    expect(formatLimits(agent, bounds)).toContain(
      "you may start 200 agents; they can start none. Never hand on",
    );
    expect(formatLimits({ ...agent, depth: 0 }, bounds)).toMatch(
      /^You are at depth 0 of 2: you may start 200 agents\.\n/,
    );
  });

  test("one that may not, with all the limits there are", () => {
    const budget = { tokens: 50_000, usd: 0.5, ms: 600_000, turns: 5 };
    const told = "You are an agent at depth 2 of 2: you start no agents, the task is yours alone.";
    expect(formatLimits({ ...agent, depth: 2, budget }, bounds)).toBe(
      `${told}\nYour limit is 5 turns, 50,000 tokens, $0.50 and 10 min: before it is reached you are asked for your answer, so keep what matters at hand.`,
    );
    expect(formatLimits({ ...agent, budget }, bounds)).toContain(
      "and 10 min in all, with the agents you start:",
    );
    expect(formatLimits({ ...agent, depth: 2, startsAgents: false }, bounds).split("\n")[0]).toBe(told);
  });
});
