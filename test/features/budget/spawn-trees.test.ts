import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BudgetKind } from "../../../src/features/budget/budget.ts";
import type { BudgetLedger } from "../../../src/features/budget/ledger.ts";
import type { ActorId } from "../../../src/mailbox/ids.ts";
import { long } from "../../support/long.ts";
import { estimate, id, ledger, MODEL, reply } from "./accounts.ts";

/** D5 asks for 100,000 in all. */
const RUNS = long(50_000, 1_000);
/** The most that a mock reply takes. */
const REPLY = 100;
/** What is estimated. */
const NEXT = 30;
const SUMMARY = 20;
const ESTIMATE = estimate(NEXT, SUMMARY);
const KINDS = ["usd", "tokens", "turns"] as const satisfies readonly BudgetKind[];

/** An agent of the mock: it asks, is answered, asks again, until it has had its last words. */
interface Agent {
  readonly actor: ActorId;
  state: "idle" | "asked" | "said-last" | "ended";
}

/** One thing that happens to one of the agents, chosen by `who`; of numbers that make no sense now nothing happens. */
interface Step {
  readonly what: "spawn" | "spawn-with-budget" | "ask" | "answer" | "end" | "answer-late";
  readonly who: number;
  readonly size: number;
}

const tree = fc.record({
  tokens: fc.integer({ min: 0, max: 1000 }),
  turns: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
  steps: fc.array(
    fc.record<Step>({
      what: fc.constantFrom(
        ...([
          "spawn",
          "spawn-with-budget",
          "ask",
          "ask",
          "ask",
          "answer",
          "answer",
          "end",
          "answer-late",
        ] as const),
      ),
      who: fc.nat(7),
      size: fc.integer({ min: 1, max: REPLY }),
    }),
    { maxLength: 60, size: "max" },
  ),
});

class Session {
  readonly ledger: BudgetLedger;
  readonly #agents: Agent[] = [];
  /** Whether replies take what was estimated, or anything up to `REPLY`. */
  readonly #honest: boolean;
  /** The most that all together may have passed a limit by: a reply for each agent alive when it was passed. */
  readonly #mayPass: Record<BudgetKind, number> = { usd: 0, tokens: 0, turns: 0 };
  total = 0;
  replies = 0;

  constructor({ tokens, turns }: { tokens: number; turns?: number | undefined }, honest: boolean) {
    this.ledger = ledger({ tokens, usd: tokens / 1000, ...(turns === undefined ? {} : { turns }) });
    this.#honest = honest;
    this.ledger.adopt({ actor: id("0"), parent: null, ...this.#first });
    this.#agents.push({ actor: id("0"), state: "idle" });
  }

  get #first() {
    return this.#honest ? { first: ESTIMATE } : {};
  }

  get alive(): number {
    return this.#agents.filter(({ state }) => state !== "ended").length;
  }

  step({ what, who, size }: Step): void {
    const agent = this.#agents[who % this.#agents.length];
    if (agent === undefined) return;
    switch (what) {
      case "spawn":
      case "spawn-with-budget":
        this.#spawn(agent, what === "spawn" ? undefined : size * 4);
        break;
      case "ask":
        this.#ask(agent);
        break;
      case "answer":
        this.#answer(agent, size);
        break;
      case "answer-late":
        this.#answerLate(agent, size);
        break;
      case "end":
        this.#end(agent);
        break;
      default:
        what satisfies never;
    }
  }

  end(): void {
    for (const agent of this.#agents) this.#end(agent);
  }

  check(grant: { tokens: number; turns?: number | undefined }): void {
    const grants = { usd: grant.tokens / 1000, tokens: grant.tokens, turns: grant.turns };
    const spent = this.ledger.spent(null);
    for (const kind of KINDS) {
      const limit = grants[kind];
      if (limit === undefined) continue;
      const { left, setAside } = this.ledger.balance(null, kind);
      // Nothing is reserved that is not there, and nothing is made or lost.
      if (!(setAside >= 0 && left >= 0)) throw new Error(`${kind}: ${setAside} set aside, ${left} left`);
      const passed = spent[kind] + setAside + left - limit;
      if (passed < -1e-9 || (left > 0 && passed > 1e-9)) throw new Error(`${kind}: ${passed} made or lost`);
      this.#bound(kind, spent[kind] + setAside - limit);
    }
    if (spent.tokens !== this.total || spent.turns !== this.replies) throw new Error("lost a reply");
  }

  /** Called after each step, so the agents alive when a limit is passed are those of this step. */
  #bound(kind: BudgetKind, passed: number): void {
    const one = { usd: REPLY / 1000, tokens: REPLY, turns: 1 }[kind];
    if (passed <= 1e-9) this.#mayPass[kind] = (this.#honest ? 0 : this.alive) * one;
    else if (passed > this.#mayPass[kind] + 1e-9) {
      throw new Error(`${kind}: passed by ${passed}, but by ${this.#mayPass[kind]} at most`);
    }
  }

  #spawn(parent: Agent, tokens: number | undefined): void {
    if (parent.state !== "idle" || this.#agents.length > 12) return;
    const actor = id(String(this.#agents.length));
    const budget = tokens === undefined ? {} : { tokens, usd: tokens / 1000 };
    const opened = this.ledger.open({ actor, parent: parent.actor, budget, ...this.#first });
    if (opened === null) this.#agents.push({ actor, state: "idle" });
  }

  #ask(agent: Agent): void {
    if (agent.state !== "idle") return;
    const last = this.ledger.decideLastTurn(agent.actor, ESTIMATE);
    if (last?.silent) this.#end(agent);
    else agent.state = last ? "said-last" : "asked";
  }

  #answer(agent: Agent, size: number): void {
    if (agent.state !== "asked" && agent.state !== "said-last") return;
    const last = agent.state === "said-last";
    agent.state = "idle";
    this.#book(agent, this.#honest ? Math.min(size, last ? SUMMARY : NEXT) : size);
    if (last) this.#end(agent);
  }

  /** Killed with a request on its way, whose cost is told of afterwards: nobody can have estimated that. */
  #answerLate(agent: Agent, size: number): void {
    if (agent.state !== "asked" || this.#honest) return;
    this.#end(agent);
    this.#book(agent, size);
  }

  #book({ actor }: Agent, size: number): void {
    this.ledger.spend(actor, MODEL, reply(size));
    this.total += size;
    this.replies += 1;
  }

  #end(agent: Agent): void {
    this.ledger.release(agent.actor);
    agent.state = "ended";
  }
}

function play(
  { steps, ...grant }: { tokens: number; turns?: number | undefined; steps: readonly Step[] },
  honest: boolean,
): Session {
  const session = new Session(grant, honest);
  session.check(grant);
  for (const step of steps) {
    session.step(step);
    session.check(grant);
  }
  session.end();
  session.check(grant);
  for (const kind of KINDS) expect(session.ledger.balance(null, kind).setAside).toBeCloseTo(0);
  return session;
}

describe("random trees of agents against a mock model (D5)", () => {
  test("all together pass no limit by more than one reply of each agent that is alive then", () => {
    fc.assert(
      fc.property(tree, (drawn) => void play(drawn, false)),
      { seed: 5, numRuns: RUNS },
    );
  });

  test("where estimates hold nothing passes a limit at all: every summary is paid from what was kept for it", () => {
    const enough = ({ tokens, steps }: { tokens: number; steps: readonly Step[] }) => ({
      tokens: tokens + SUMMARY,
      steps: steps.map((step) => ({ ...step, size: Math.max(step.size, SUMMARY / 4) })),
    });
    fc.assert(
      fc.property(tree, (drawn) => void play({ ...drawn, ...enough(drawn) }, true)),
      { seed: 6, numRuns: RUNS },
    );
  });
});
