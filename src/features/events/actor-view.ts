import type { Activity, AgentState, AgentView, SupervisorEvent } from "../../events/event.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { RunningCall } from "../../supervisor/running-call.ts";
import { RUN_PREFIX } from "../../tools/workflow.ts";

/** Returns an actor as the live tree shows it, at this moment. */
export function viewOf(actor: Actor): AgentView {
  const { spec, runFor, summary, hasEnded } = actor;
  const { id, parent, depth, type, description, model } = spec;
  const { usage, costUsd, lastSignAt, createdAt, startedAt, endedAt } = actor;
  const { trouble, overlap } = actor.remarks;
  return {
    ...{ id, parent, depth, type, description, model, call: runFor.call },
    ...(spec.key === undefined ? {} : { key: spec.key, answersKey: answersKey(actor) }),
    ...(actor.runner === null ? {} : { runner: actor.runner }),
    ...(actor.runner === null || spec.attempt === 1 ? {} : { attempt: spec.attempt }),
    state: stateOf(actor),
    activity: activityOf(actor),
    doing: hasEnded ? null : stepOf(actor),
    turns: summary?.turns ?? actor.turnsTaken,
    ...{ usage, costUsd },
    background: runFor.background,
    hasLoop: actor.handle !== null,
    ...{ lastSignAt, trouble },
    overlap: hasEnded ? null : overlap,
    ...{ createdAt, startedAt, endedAt, summary },
  };
}

/**
 * True if its result is that of a later call with its key, too. A part of an answer is one, unless it had to be data, and
 * so is rejected work: what it cost is not paid for twice.
 */
export function answersKey({ summary, spec }: Actor): boolean {
  if (summary?.status === "partial") return spec.outputSchema === undefined;
  const { verdict, checks = 0 } = summary?.acceptance ?? {};
  // What could not be checked has no verdict that counts.
  return summary?.status === "done" || (verdict === "rejected" && checks > 0);
}

/** An agent of a script that is not resumed with the session: it waits until the model resumes the script. */
export function isOfWorkflow({ spec }: Actor): boolean {
  return spec.key?.startsWith(RUN_PREFIX) ?? false;
}

/** For people an agent that waits for a slot again is still waiting, and one whose model is paused does not run. */
function stateOf({ lifecycle: { state }, wait, calls }: Actor): AgentState {
  if (state === "running" && wait?.type === "paused" && calls.size === 0) return "paused";
  return state === "returning" ? "waiting" : state;
}

/** What it does right now: its newest call, else it is the model's turn. */
function activityOf({ lifecycle, calls, keptBy, wait, draftedTool }: Actor): Activity {
  if (lifecycle.state === "ended" || lifecycle.state === "queued") return { type: "idle" };
  const running = [...calls.values()];
  const newest = running.at(-1);
  if (newest === undefined) {
    // What is not allowed yet is no call that runs.
    if (lifecycle.state === "waiting" && !lifecycle.passive && keptBy === null) return { type: "asking" };
    const writes = draftedTool === null ? {} : { writes: draftedTool };
    return keptBy ?? wait ?? { type: "model", ...writes };
  }
  if (running.every(asksUser)) return { type: "asking" };
  if (running.length === 1) return { type: "tool", tool: newest.tool, title: shownTitle(newest) };
  const same = running.every(({ tool }) => tool === newest.tool);
  const title = same ? `${running.length} at once` : `${shownTitle(newest)} (and ${running.length - 1} more)`; // word-ok
  return { type: "tool", tool: newest.tool, title };
}

/** True if all that a call does is to wait for the user's answer. */
export function asksUser({ tool }: Pick<RunningCall, "tool">): boolean {
  return tool === "AskUserQuestion" || tool === "ExitPlanMode";
}

/** What a model says of a long command tells more than its first characters. */
function shownTitle({ title, description }: RunningCall): string {
  return description ?? title;
}

/** The step it works on, by its own list, else by the session's (A14.5). */
function stepOf({ todo, remarks }: Actor): string | null {
  return todo.find(({ status }) => status === "in_progress")?.activeForm ?? remarks.task;
}

/** Returns the actor that an event is about; null if that is the session. */
export function actorOf(event: SupervisorEvent): ActorId | null {
  return event.type === "agent" ? event.view.id : "actor" in event ? event.actor : null;
}
