import { MAIN } from "../mailbox/ids.ts";
import type { Status } from "../mailbox/messages.ts";
import type { SessionAccount } from "../supervisor/options.ts";
import type { AgentView, PermissionDenial } from "../supervisor/view.ts";
import type { JobEnd } from "./jobs.ts";
import { subtypeOf, subtypeOfAll } from "./outcome.ts";
import { lastEnd } from "./results.ts";
import type { Finished } from "./run-session.ts";

/** The one object of `troupe -p --output-format json`. */
export function promptJson(finished: Finished): object {
  const { account, durationMs, unfinished } = finished;
  const summary = lastEnd(finished)?.summary;
  const status: Status = summary?.status ?? "failed";
  return {
    type: "result",
    subtype: subtypeOf(status),
    is_error: status !== "done" || unfinished.length > 0,
    status,
    result: summary?.text || (summary?.reason ?? ""),
    ...(summary?.reason === undefined ? {} : { reason: summary.reason }),
    session_id: account.session,
    num_turns: summary?.turns ?? 0,
    ...accountJson(account, durationMs),
    unfinished: unfinished.map(unfinishedJson),
  };
}

/** The one object of `troupe fanout --json`. */
export function fanoutJson(
  tasks: readonly string[],
  { ends, account, durationMs, unfinished }: Finished,
): object {
  const statuses = ends.map(({ summary }) => summary.status);
  return {
    type: "result",
    subtype: subtypeOfAll(statuses),
    is_error: statuses.some((status) => status !== "done"),
    results: ends.map((end, index) => ({ task: tasks[index], ...endJson(end) })),
    session_id: account.session,
    num_turns: ends.reduce((sum, { summary }) => sum + summary.turns, 0),
    ...accountJson(account, durationMs),
    unfinished: unfinished.map(unfinishedJson),
  };
}

/** Who was stopped before its end, and where it stood. */
function unfinishedJson({ id, type, description, state }: AgentView): object {
  return { id, type, description, state };
}

function endJson({ id, type, description, summary, durationMs }: JobEnd): object {
  return {
    id,
    type,
    description,
    status: summary.status,
    summary: summary.text,
    ...(summary.reason === undefined ? {} : { reason: summary.reason }),
    turns: summary.turns,
    usage: summary.usage,
    duration_ms: Math.round(durationMs),
    receipts: summary.receipts,
  };
}

/** `usage`, time and cost are of the main conversation and all agents together. */
function accountJson({ apiMs, costUsd, usage, agents, denials }: SessionAccount, durationMs: number): object {
  return {
    duration_ms: Math.round(durationMs),
    duration_api_ms: Math.round(apiMs),
    total_cost_usd: costUsd,
    usage,
    // The main conversation is the result itself.
    agents: agents.filter(({ id }) => id !== MAIN).map(agentJson),
    permission_denials: denials.map(denialJson),
  };
}

function agentJson(view: AgentView): object {
  const { id, parent, depth, type, description, model, summary } = view;
  return {
    id,
    parent,
    depth,
    type,
    description,
    model,
    // Without a summary it was still at work when the session was stopped.
    status: summary?.status ?? "cancelled",
    summary: summary?.text ?? "",
    ...(summary?.reason === undefined ? {} : { reason: summary.reason }),
    turns: summary?.turns ?? view.turns,
    usage: summary?.usage ?? view.usage,
    duration_ms: Math.round(
      Math.max(0, (view.endedAt ?? view.createdAt) - (view.startedAt ?? view.createdAt)),
    ),
  };
}

function denialJson({ actor, tool_name, tool_use_id, tool_input }: PermissionDenial): object {
  return { tool_name, tool_use_id, tool_input, agent_id: actor };
}
