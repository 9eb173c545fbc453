import { describe, expect, test } from "vitest";
import { type BudgetSettings, budgetSettings } from "../../src/settings/budget-settings.ts";
import { catalogue } from "../../src/settings/catalogue.ts";
import { settingsPlaces } from "../../src/settings/places.ts";
import { combine, type ReadSettings, readSettingsFiles } from "../../src/settings/read-settings.ts";
import { type Files, foldersWith, readIn } from "./folders.ts";

async function read(troupe: Files, trusted = true): Promise<BudgetSettings & Pick<ReadSettings, "warnings">> {
  const wrapped = Object.fromEntries(
    Object.entries(troupe).map(([scope, value]) => [scope, { troupe: value }]),
  );
  const files = await readSettingsFiles(settingsPlaces(foldersWith(wrapped)));
  const { leaves, warnings } = combine(files, trusted);
  return { ...budgetSettings(files, leaves), warnings };
}

describe("budgets in settings (issue 5 item 6)", () => {
  test("nobody says anything", async () => {
    expect(await read({})).toEqual({ agentBudgets: [], prices: {}, warnings: [] });
  });

  test("a folder can only lower what a session may spend, whether it is trusted or not", async () => {
    const higher = await read({ user: { maxBudgetUsd: 5 }, project: { maxBudgetUsd: 50 } });
    expect(higher.maxBudgetUsd).toBe(5);
    expect(higher.warnings[0]).toMatch(
      /troupe\.maxBudgetUsd does not count there, because a folder's own settings may not/,
    );
    expect(await read({ user: { maxBudgetUsd: 5 }, local: { maxBudgetUsd: 0.5 } }, false)).toMatchObject({
      maxBudgetUsd: 0.5,
      warnings: [],
    });
    expect(
      (await read({ project: { maxBudgetUsd: 2 }, local: { maxBudgetUsd: 3 } }, false)).maxBudgetUsd,
    ).toBe(2);
  });

  test("nobody goes above the organisation's, and a flag is told of it even where the person has a lower one", async () => {
    const above = await read({ enterprise: { maxBudgetUsd: 5 }, user: { maxBudgetUsd: 50 } });
    expect(above).toMatchObject({ maxBudgetUsd: 5, mostBudgetUsd: 5 });
    expect(above.warnings[0]).toMatch(/because your organisation's settings are stricter/);
    expect(await read({ enterprise: { maxBudgetUsd: 5 }, user: { maxBudgetUsd: 1 } })).toMatchObject({
      maxBudgetUsd: 1,
      mostBudgetUsd: 5,
    });
  });

  test("budgets of types are those of every file: they can only restrict", async () => {
    const { agentBudgets } = await read(
      {
        user: { agentBudgets: { Explore: { usd: 0.5, minutes: 10 }, Plan: { turns: 5 } } },
        project: { agentBudgets: { explore: { usd: 5, tokens: 1000 } } },
      },
      false,
    );
    expect(agentBudgets).toEqual([
      { type: "Explore", usd: 0.5, minutes: 10 },
      { type: "Plan", turns: 5 },
      { type: "explore", usd: 5, tokens: 1000 },
    ]);
  });

  test("prices are the person's: a folder that made models free would lift every budget", async () => {
    const price = { input: 2, output: 4 };
    const free = { input: 0, output: 0 };
    const { prices, warnings } = await read({
      enterprise: { prices: { theirs: { ...price, cacheRead: 1 } } },
      user: { prices: { "mine-4.1": price, theirs: free } },
      project: { prices: { "mine-4.1": free } },
    });
    expect(prices).toEqual({
      theirs: { input: 2, output: 4, cacheWrite: 2, cacheRead: 1 },
      "mine-4.1": { input: 2, output: 4, cacheWrite: 2, cacheRead: 2 },
    });
    expect(warnings).toHaveLength(2);
  });

  test("a folder may have more asked, not less", async () => {
    expect(await read({ project: { quoteAboveUsd: 100 } })).not.toHaveProperty("quoteAboveUsd");
    expect((await read({ project: { quoteAboveUsd: 0 } }, false)).quoteAboveUsd).toBe(0);
    expect((await read({ user: { quoteAboveUsd: 20 }, project: { quoteAboveUsd: 5 } })).quoteAboveUsd).toBe(
      5,
    );
  });

  test("limits of agents and minutes are made stricter by a folder, never wider; 0 is no deadline", async () => {
    const limits = async (files: Files) => (await readIn(files)).settings.limits;
    const wide = { maxChildren: 5000, maxAgentsPerSession: 5000, agentMinutes: 0, sessionMinutes: 100 };
    const own = { maxChildren: 300, maxAgentsPerSession: 2000, agentMinutes: 30, sessionMinutes: 60 };
    expect(await limits({ user: { troupe: own }, project: { troupe: wide } })).toEqual(own);
    expect(await limits({ project: { troupe: wide } })).toEqual({ agentMinutes: 0, sessionMinutes: 100 });
    expect(await limits({ local: { troupe: { maxChildren: 3, backgroundMinutes: 1 } } })).toEqual({
      maxChildren: 3,
      backgroundMinutes: 1,
    });
    expect([catalogue.limits.maxChildren.fallback, catalogue.limits.maxAgentsPerSession.fallback]).toEqual([
      "1000",
      "1000",
    ]);
  });

  test.each([
    [{ maxBudgetUsd: 0 }, "troupe.maxBudgetUsd must be a number from 0.001 to 1000000"],
    [{ maxBudgetUsd: "5" }, "troupe.maxBudgetUsd must be a number"],
    [
      { agentBudgets: { Explore: { dollars: 1 } } },
      "must be an object of agent types, each an object with any of tokens",
    ],
    [{ agentBudgets: { Explore: 1 } }, "troupe.agentBudgets must be"],
    [{ agentBudgets: { Explore: { turns: 0 } } }, "troupe.agentBudgets must be"],
    [{ agentBudgets: { Explore: { constructor: 1 } } }, "troupe.agentBudgets must be"],
    [{ prices: { m: { input: 1 } } }, "troupe.prices.m must be an object of models"],
    [{ prices: { m: { input: 1, output: -1 } } }, "troupe.prices.m must be"],
    [{ maxChildren: 0 }, "troupe.maxChildren must be a whole number from 1 to 10000"],
  ])("%j is named and left out", async (troupe, sentence) => {
    const { warnings, ...values } = await read({ user: troupe });
    expect(warnings).toEqual([expect.stringContaining(sentence)]);
    expect(values).toEqual({ agentBudgets: [], prices: {} });
  });
});
