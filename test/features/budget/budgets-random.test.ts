// @module-tag long
import { expect, test } from "vitest";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import { long } from "../../support/long.ts";
import { seeded } from "../../support/supervised.ts";
import { costing, kind, paying, start, TICK } from "./coins.ts";

/** The most that a reply costs, in dollars: four times what an ordinary one is taken to cost. */
const MOST = 4;

test.each(Array.from({ length: long(25, 8) }, (_, run) => run + 1))(
  "random agents, run %i: all spend at most what was granted; one summary each (D5)",
  async (run) => {
    const random = seeded(run * 7_919);
    const below = (most: number) => Math.floor(random() * most);
    const grant = 5 + below(120);
    const kinds = [kind("small", 6), kind("middle", 18), kind("large", 40)];
    const ownUsd = new Map(kinds.map(({ name, budget }) => [name, budget.usd]));

    const turn = ({ withoutTools, maxTokens, tools }: ModelRequest): ScriptedTurn => {
      const usd = Math.min((1 + below(MOST * 1000)) / 1000, maxTokens / 1000);
      if (withoutTools) return costing(usd, { text: "as far as I got" });
      const mayStart = tools.some(({ name }) => name === "Agent");
      const what = below(10);
      if (what === 0) return costing(usd, { text: "done" });
      if (what < 5 || !mayStart) return costing(usd, { calls: [TICK] });
      const calls = Array.from({ length: 1 + below(3) }, (_, at) => {
        const type = ["worker", "small", "middle", "large"][below(4)] ?? "worker";
        return start(type, `task ${at} of ${below(1e6)}`, { run_in_background: below(3) === 0 });
      });
      return costing(usd, { calls });
    };

    let onQuiet = () => {};
    const living = new Set<string>();
    const { supervisor, model } = paying(turn, {
      budget: { usd: grant },
      agents: kinds,
      limits: { maxDepth: 3, maxTurns: 12, maxAgentsPerSession: 60 },
      onEvent(event) {
        if (event.type !== "agent") return;
        if (event.view.state === "ended") living.delete(event.view.id);
        else living.add(event.view.id);
        if (living.size === 0) onQuiet();
      },
    });
    const { summary } = await supervisor.prompt("go");
    // A conversation that is out of money does not wait for what it has started in the background.
    const quiet = Promise.withResolvers<void>();
    onQuiet = quiet.resolve;
    if (living.size > 0) await quiet.promise;
    await supervisor.close();
    const { costUsd, agents } = supervisor.usage();

    expect(costUsd).toBeLessThanOrEqual(grant);
    expect(agents.map(({ summary: end }) => end?.status)).not.toContain(undefined);
    expect(["done", "over_budget", "out_of_turns", "partial"]).toContain(summary.status);
    // Each with a budget of its own: it and all below it keep within that.
    for (const { id, type } of agents) {
      const own = ownUsd.get(type);
      if (own === undefined) continue;
      const family = agents.filter((one) => isBelow(one.id, id));
      const spent = family.reduce((sum, agent) => sum + agent.costUsd, 0);
      expect(spent).toBeLessThanOrEqual(own + 1e-9);
    }
    // What was spent is what was booked: no reply was lost, none counted twice.
    const asked = agents.reduce((sum, agent) => sum + agent.usage.output_tokens, 0);
    expect(asked / 1000).toBeCloseTo(costUsd, 6);
    expect(agents.reduce((sum, { turns }) => sum + turns, 0)).toBeLessThanOrEqual(model.requests.length);

    function isBelow(one: string, above: string): boolean {
      for (let at: string | null = one; at !== null; at = agents.find(({ id }) => id === at)?.parent ?? null)
        if (at === above) return true;
      return false;
    }
  },
);
