import { USUAL_WINDOW } from "../../context/compaction/bounds.ts";
import { noUsage, type ToolUseBlock, totalTokens } from "../../mailbox/conversation.ts";
import { type ActorId, callId, MAIN } from "../../mailbox/ids.ts";
import type { Reply } from "../../mailbox/messages.ts";
import { FORK } from "../../mailbox/messages.ts";
import { resolveModel } from "../../model/model-names.ts";
import { turnsWithin } from "../../settings/limits.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { ActorSystem } from "../../supervisor/actor-system.ts";
import type { Joints } from "../../supervisor/joints.ts";
import { tightestBudget } from "../budget/budget.ts";
import {
  type CostEstimate,
  type EstimateInput,
  estimateCost,
  type PlannedAgent,
} from "../budget/cost-estimate.ts";
import {
  type Confirm,
  FanOutApproval,
  type FanOutQuote,
  type QuotingPorts,
  UNQUOTED,
} from "../budget/fan-out-approval.ts";
import { promptTokensOf, type Spending } from "../budget/spending.ts";
import { modelSpec } from "../models/index.ts";
import type { AgentTypes } from "./agent-types.ts";
import { agentOwnParts, type Common } from "./own-parts.ts";
import { specOf } from "./specs.ts";

const DEFAULT_TYPE = "general-purpose";

export interface FanOutParts extends Pick<QuotingPorts, "asks" | "aboveUsd" | "say"> {
  readonly actors: Pick<ActorSystem, "startedBy">;
  readonly common: Common;
  readonly types: AgentTypes;
  readonly spending: Spending;
}

/** An agent that a reply or the user wants to start. */
export interface WantedAgent {
  readonly type?: string | undefined;
  /** Alias or full ID. */
  readonly model?: string | undefined;
  readonly tokenBudget?: number | undefined;
}

/** Approval of fan-outs, of models and of the user. Joint: `onEvent` (a reply). */
export interface FanOuts {
  readonly joints: Joints;
  /** Resolves with why the agents of this reply must not start, or null if they may. */
  declined(asker: Actor): Promise<string | null>;
  /** Resolves with whether agents that the user starts together may start. `confirm` asks if the session cannot. */
  approve(wanted: readonly WantedAgent[], signal: AbortSignal, confirm?: Confirm): Promise<FanOutQuote>;
  /** Returns what agents without a caller may cost together; null if nothing, or if a price is not known. */
  estimate(wanted: readonly WantedAgent[]): CostEstimate | null;
}

/** Estimates what agents that start together may cost, before any of them starts. */
export function fanOutFeature(parts: FanOutParts): FanOuts {
  const { actors, common, types, spending } = parts;
  const { options, limits, toolbox } = common;
  const approval = new FanOutApproval({
    ...parts,
    candidates: (calls, asker) => plannedOf(calls.map(wantedBy), asker),
    known,
  });

  function replied(asker: Actor, reply: Reply): void {
    const starts = callsOf(reply).filter(
      ({ name }, index) =>
        toolbox.find(name)?.offer.name === "Agent" &&
        // In a resumed session some may have started before.
        actors.startedBy(callId(asker.id, reply.turn, index)) === undefined,
    );
    approval.replied(asker, reply, starts);
  }

  /** `asker`: null for the user. */
  function plannedOf(wanted: readonly WantedAgent[], asker: Actor | null): PlannedAgent[] {
    const prefixes = new Map<string, number>();
    return wanted.map((one) => {
      const planned = planOf(one, asker);
      const { type } = planned;
      const prefixTokens = prefixes.get(type) ?? prefixOf(type, asker);
      prefixes.set(type, prefixTokens);
      return { ...planned, prefixTokens };
    });
  }

  /** Returns the tokens of the agent's first request; a fork's includes the whole conversation so far. */
  function prefixOf(type: string, asker: Actor | null): number {
    const definition = types.find(type);
    if (definition === undefined) return totalTokens(asker?.reply?.usage ?? noUsage);
    const asked = { id: MAIN, parent: asker?.spec ?? null, description: "", prompt: "", model: undefined };
    const alone = { ...common, skills: null };
    return promptTokensOf(specOf(alone, agentOwnParts(alone, definition, asked, {})));
  }

  function planOf(
    { type = DEFAULT_TYPE, model: wanted, tokenBudget: tokens }: WantedAgent,
    asker: Actor | null,
  ): Omit<PlannedAgent, "prefixTokens"> {
    const definition = types.find(type);
    const usual = type === FORK && asker !== null ? asker.spec.model : common.models.usual;
    const model = resolveModel(wanted ?? definition?.model ?? usual, options.aliases);
    const { maxTokens, window } = modelSpec(common, model);
    return {
      ...{ type: definition?.name ?? type, model, maxTokens, windowTokens: (window ?? USUAL_WINDOW).tokens },
      budget: tightestBudget(
        definition ? spending.budgetOf(definition) : {},
        tokens === undefined ? {} : { tokens },
      ),
      maxTurns: turnsWithin(limits, definition?.maxTurns ?? limits.maxTurns),
      startsAgents: definition?.tools === "all" && (asker?.spec.depth ?? 0) + 1 < limits.maxDepth,
    };
  }

  function known(asker: ActorId | null): EstimateInput {
    const { ledger, past, prices } = spending;
    return {
      leftUsd: ledger.left(asker).usd,
      whose: ledger.left(asker).usd < ledger.left(null).usd ? "agent" : "session",
      past: (type, model) => past.average(type, model),
      prices,
    };
  }

  return {
    joints: {
      onEvent(event) {
        if (event.type === "reply") replied(event.actor, event.reply);
        // The program may have died while the question about their cost was open.
        if (event.type === "resumed" && event.actor.reply) replied(event.actor, event.actor.reply);
      },
    },
    declined: (asker) => approval.declined(asker.id, asker.turnsTaken + 1),
    estimate: (wanted) => estimateCost(plannedOf(wanted, null), known(null)),
    approve: async (wanted, signal, confirm) =>
      wanted.length < 2 ? UNQUOTED : approval.approve(plannedOf(wanted, null), signal, confirm),
  };
}

function wantedBy({ input }: ToolUseBlock): WantedAgent {
  const wanted = typeof input === "object" && input !== null ? input : {};
  return {
    ...("subagent_type" in wanted ? { type: String(wanted.subagent_type) } : {}),
    ...("model" in wanted ? { model: String(wanted.model) } : {}),
  };
}

function callsOf({ content }: Reply): ToolUseBlock[] {
  return content.filter((block): block is ToolUseBlock => block.type === "tool_use");
}
