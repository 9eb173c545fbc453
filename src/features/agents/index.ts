import { noUsage, type ToolUseBlock, totalTokens } from "../../mailbox/conversation.ts";
import { type ActorId, callId } from "../../mailbox/ids.ts";
import type { Reply } from "../../mailbox/messages.ts";
import { resolveModel } from "../../model/aliases.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { ActorSystem } from "../../supervisor/actor-system.ts";
import type { Joints } from "../../supervisor/joints.ts";
import { replyTokens, turnsWithin } from "../../supervisor/limits.ts";
import { FORK } from "../../supervisor/run-for.ts";
import type { EstimateInput, PlannedAgent } from "../budget/cost-estimate.ts";
import { FanOutApproval, type QuotingPorts } from "../budget/fan-out-approval.ts";
import { promptTokensOf, type Spending } from "../budget/spending.ts";
import { windowFor } from "../compaction/windows.ts";
import type { AgentTypes } from "./agent-types.ts";
import { agentSpec, type Common } from "./specs.ts";

const DEFAULT_TYPE = "general-purpose";

export interface FanOutParts extends Pick<QuotingPorts, "asks" | "aboveUsd" | "say"> {
  readonly actors: Pick<ActorSystem, "startedBy">;
  readonly common: Common;
  readonly types: AgentTypes;
  readonly spending: Spending;
}

/** Estimates what the agents of a reply may cost together before any of them starts. Joint: `onEvent` (a reply). */
export function fanOutFeature(parts: FanOutParts): {
  readonly joints: Joints;
  /** Resolves with why the agents of this reply must not start, or null if they may. */
  declined(asker: Actor): Promise<string | null>;
} {
  const { actors, common, types, spending } = parts;
  const { options, limits, toolbox } = common;
  const approval = new FanOutApproval({ ...parts, candidates, known });

  function replied(asker: Actor, reply: Reply): void {
    const starts = callsOf(reply).filter(
      ({ name }, index) =>
        toolbox.find(name)?.offer.name === "Agent" &&
        // In a resumed session some may have started before.
        actors.startedBy(callId(asker.id, reply.turn, index)) === undefined,
    );
    approval.replied(asker, reply, starts);
  }

  function candidates(calls: readonly ToolUseBlock[], asker: Actor): PlannedAgent[] {
    const prefixes = new Map<string, number>();
    return calls.map((call) => {
      const candidate = candidateOf(call, asker);
      const { type } = candidate;
      const prefixTokens = prefixes.get(type) ?? prefixOf(type, asker);
      prefixes.set(type, prefixTokens);
      return { ...candidate, prefixTokens };
    });
  }

  /** Returns the tokens of the agent's first request; a fork's includes the whole conversation so far. */
  function prefixOf(type: string, { spec, reply }: Actor): number {
    const definition = types.find(type);
    if (definition === undefined) return totalTokens(reply?.usage ?? noUsage);
    const asked = { id: spec.id, parent: spec, description: "", prompt: "", model: undefined };
    return promptTokensOf(agentSpec({ ...common, skills: null }, definition, asked));
  }

  function candidateOf({ input }: ToolUseBlock, { spec }: Actor): Omit<PlannedAgent, "prefixTokens"> {
    const wanted = typeof input === "object" && input !== null ? input : {};
    const type = "subagent_type" in wanted ? String(wanted.subagent_type) : DEFAULT_TYPE;
    const definition = types.find(type);
    const named =
      "model" in wanted
        ? String(wanted.model)
        : (definition?.model ?? (type === FORK ? spec.model : common.model));
    const model = resolveModel(named, options.aliases);
    const { tokens: windowTokens } = windowFor(model, options.compaction);
    return {
      ...{ type: definition?.name ?? type, model, windowTokens },
      budget: definition ? spending.budgetOf(definition) : {},
      maxTurns: turnsWithin(limits, definition?.maxTurns ?? limits.maxTurns),
      maxTokens: replyTokens(limits, options.limits, { id: model, window: windowTokens }),
      startsAgents: definition?.tools === "all" && spec.depth + 1 < limits.maxDepth,
    };
  }

  function known(asker: ActorId): EstimateInput {
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
  };
}

function callsOf({ content }: Reply): ToolUseBlock[] {
  return content.filter((block): block is ToolUseBlock => block.type === "tool_use");
}
