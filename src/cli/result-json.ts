import type { AgentView } from "../events/event.ts";
import type { CostEstimate } from "../features/budget/cost-estimate.ts";
import type { SessionUsage } from "../features/budget/usage-meter.ts";
import { worktreeDefaults } from "../features/isolation/worktree-settings.ts";
import { given } from "../lib/json.ts";
import { MAIN } from "../mailbox/ids.ts";
import type { Status, Summary } from "../mailbox/messages.ts";
import type { MergeMode } from "../mailbox/worktree.ts";
import type { JobEnd } from "./jobs.ts";
import { areEditsMerged, lastEnd } from "./results.ts";
import type { SessionEnd } from "./run-session.ts";

/** The one object of `troupe -p --output-format json`. */
export function promptJson(finished: SessionEnd): object {
  const { account, unfinished } = finished;
  const summary = lastEnd(finished)?.summary;
  const status: Status = summary?.status ?? "failed";
  return {
    type: "result",
    subtype: subtypeOf(status),
    is_error: status !== "done" || unfinished.length > 0,
    status,
    result: summary?.text || (summary?.reason ?? ""),
    ...reasonJson(summary),
    ...(summary?.output === undefined ? {} : { structured_output: summary.output }),
    session_id: account.session,
    num_turns: summary?.turns ?? 0,
    ...accountJson(finished),
  };
}

interface FanOutReport {
  /** What was known of its cost before it started. */
  readonly estimate?: CostEstimate | null;
  readonly merge?: MergeMode;
}

/** The one object of `troupe fanout --json`. A task that is done, but without its edits merged, counts as partial. */
export function fanoutJson(
  tasks: readonly string[],
  finished: SessionEnd,
  { estimate = null, merge = worktreeDefaults.merge }: FanOutReport = {},
): object {
  const { ends, account } = finished;
  const statuses = ends.map(({ summary }): Status => {
    const { status } = summary;
    return status === "done" && !areEditsMerged(summary, merge) ? "partial" : status;
  });
  return {
    type: "result",
    subtype: subtypeOfAll(statuses),
    is_error: statuses.some((status) => status !== "done"),
    results: ends.map((end, index) => ({ task: tasks[index], ...endJson(end) })),
    session_id: account.session,
    num_turns: ends.reduce((sum, { summary }) => sum + summary.turns, 0),
    ...accountJson(finished),
    ...(estimate === null ? {} : { estimate: estimateJson(estimate) }),
  };
}

function estimateJson({ likelyUsd, mostUsd, isKnown }: CostEstimate): object {
  return { likely_usd: likelyUsd, most_usd: mostUsd, by_past_runs: isKnown };
}

/**
 * `success` only for what is done; `error_max_turns` and `error_during_execution` are the names that users' scripts
 * know; every other status is its own name.
 */
function subtypeOf(status: Status): string {
  switch (status) {
    case "done":
      return "success";
    case "out_of_turns":
      return "error_max_turns";
    case "failed":
      return "error_during_execution";
    case "partial":
    case "cancelled":
    case "timed_out":
    case "out_of_memory":
    case "over_budget":
      return status;
    default:
      return status satisfies never;
  }
}

function subtypeOfAll(statuses: readonly Status[]): string {
  const [first = "done"] = statuses;
  if (statuses.every((status) => status === first)) return subtypeOf(first);
  return statuses.includes("done") || statuses.includes("partial") ? "partial" : "error_during_execution";
}

/** `usage`, time and cost are of the main conversation and all agents together. */
function accountJson({ account, durationMs, unfinished }: SessionEnd): object {
  const { apiMs, costUsd, usage, agents, denials }: SessionUsage = account;
  return {
    duration_ms: Math.round(durationMs),
    duration_api_ms: Math.round(apiMs),
    total_cost_usd: costUsd,
    usage,
    // The main conversation is the result itself.
    agents: agents.filter(({ id }) => id !== MAIN).map(agentJson),
    permission_denials: denials.map(({ actor, tool_name, tool_use_id, tool_input }) => ({
      ...{ tool_name, tool_use_id, tool_input, agent_id: actor },
    })),
    unfinished: unfinished.map(({ id, type, description, state }) => ({ id, type, description, state })),
  };
}

function endJson({ id, type, description, summary, durationMs }: JobEnd): object {
  return {
    ...{ id, type, description, status: summary.status, summary: summary.text },
    ...reasonJson(summary),
    ...{ turns: summary.turns, usage: summary.usage, duration_ms: Math.round(durationMs) },
    ...summaryJson(summary),
    receipts: summary.receipts,
  };
}

function agentJson(view: AgentView): object {
  const { id, parent, depth, type, description, model, summary } = view;
  const end = view.endedAt ?? view.createdAt;
  return {
    ...{ id, parent, depth, type, description, model },
    // Without a summary it was still at work when the session was stopped.
    status: summary?.status ?? "cancelled",
    summary: summary?.text ?? "",
    ...reasonJson(summary),
    turns: summary?.turns ?? view.turns,
    usage: summary?.usage ?? view.usage,
    duration_ms: Math.round(Math.max(0, end - (view.startedAt ?? view.createdAt))),
    ...(summary === null ? {} : summaryJson(summary)),
  };
}

function reasonJson(summary: Summary | null | undefined): object {
  return summary?.reason === undefined ? {} : { reason: summary.reason };
}

/** Its answer as data, its edits, and what of its report could not be verified. */
function summaryJson({ output, worktree, acceptance, unverified = [], unfounded }: Summary): object {
  return {
    ...given({ output, worktree, acceptance }),
    unverified: unverified.length,
    ...(unverified.length === 0 ? {} : { unverified_claims: unverified }),
    ...(unfounded ? { no_tool_run: true } : {}),
  };
}
