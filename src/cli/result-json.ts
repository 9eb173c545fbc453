import { worktreeDefaults } from "../features/isolation/worktree-settings.ts";
import { MAIN } from "../mailbox/ids.ts";
import type { Status, Summary } from "../mailbox/messages.ts";
import type { MergeMode } from "../mailbox/worktree.ts";
import type { SessionUsage } from "../session/options.ts";
import type { AgentView, PermissionDenial } from "../supervisor/view.ts";
import { areEditsMerged } from "./edits-merged.ts";
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

/** The one object of `troupe fanout --json`. Done, but without its edits where they belong, is partial. */
export function fanoutJson(
  tasks: readonly string[],
  { ends, account, durationMs, unfinished }: Finished,
  merge: MergeMode = worktreeDefaults.merge,
): object {
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
    ...dataJson(summary),
    ...worktreeJson(summary),
    ...checkJson(summary),
    receipts: summary.receipts,
  };
}

/** Its answer as data, where that was asked for and it is. */
function dataJson({ output }: Pick<Summary, "output">): object {
  return output === undefined ? {} : { output };
}

/** How much of its report the runtime could not verify, and what. */
function checkJson({ unverified = [], unfounded }: Pick<Summary, "unverified" | "unfounded">): object {
  return {
    unverified: unverified.length,
    ...(unverified.length === 0 ? {} : { unverified_claims: unverified }),
    ...(unfounded ? { no_tool_run: true } : {}),
  };
}

/** What became of its edits, where it had a worktree of its own. */
function worktreeJson({ worktree }: Pick<Summary, "worktree">): object {
  return worktree === undefined ? {} : { worktree };
}

/** `usage`, time and cost are of the main conversation and all agents together. */
function accountJson({ apiMs, costUsd, usage, agents, denials }: SessionUsage, durationMs: number): object {
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
    ...(summary === null ? {} : { ...dataJson(summary), ...worktreeJson(summary), ...checkJson(summary) }),
  };
}

function denialJson({ actor, tool_name, tool_use_id, tool_input }: PermissionDenial): object {
  return { tool_name, tool_use_id, tool_input, agent_id: actor };
}
