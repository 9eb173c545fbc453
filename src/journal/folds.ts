import { addUsage, type Usage } from "../mailbox/conversation.ts";
import type { ActorId, SessionId } from "../mailbox/ids.ts";
import type { ActorSpec, Status, Summary, Turn } from "../mailbox/messages.ts";
import { usageOf } from "../mailbox/turns.ts";
import type { JournalRecord } from "./session-events.ts";
import { afterChange, noTasks, type TaskGraph } from "./task-graph.ts";

/**
 * These folds of the records are the whole state of a session (promise 4). A spec has everything of an actor, including
 * turns already taken, so a later `spawn` of the same actor replaces the earlier fold.
 */
type Records = Iterable<JournalRecord>;

/** Returns the turns of one actor: with its spec, everything needed to resume it (promise 8). */
export function turnsOf(records: Records, actor: ActorId): Turn[] {
  let turns: Turn[] = [];
  for (const { event } of records) {
    if (event.type === "spawn" && event.spec.id === actor) turns = [...event.spec.turns];
    else if (event.type === "turn" && event.actor === actor) turns.push(event.turn);
  }
  return turns;
}

/** Returns the session's tasks after all changes. */
export function tasksOf(records: Records): TaskGraph {
  let graph = noTasks;
  for (const { event } of records) {
    if (event.type === "task") graph = afterChange(graph, event.change);
  }
  return graph;
}

/** One agent as the journal knows it. */
export interface AgentHistory {
  readonly id: ActorId;
  readonly parent: ActorId | null;
  readonly depth: number;
  readonly type: string;
  readonly description: string;
  /** Null while unfinished: still running, or its session ended first. The next two are null then, too. */
  readonly status: Status | null;
  readonly summary: Summary | null;
  /** Milliseconds. */
  readonly durationMs: number | null;
  /** From the summary; without one, the sum of its turns. */
  readonly turns: number;
  readonly usage: Usage;
  /** On runners; empty if it has worked only here. */
  readonly attempts: readonly PastAttempt[];
}

/** What a runner had of an agent. */
export interface PastAttempt {
  readonly attempt: number;
  readonly runner: string;
  /** Why it left its runner before its end; null if it did not, or if its session was interrupted. */
  readonly left: string | null;
}

/** Returns every spawned actor in the order of the spawns; the main conversation too, if it has a `spawn` record. */
export function agentsOf(records: Records): AgentHistory[] {
  const agents = new Map<ActorId, AgentHistory>();
  const change = (id: ActorId, by: (agent: AgentHistory) => Partial<AgentHistory>) => {
    const agent = agents.get(id);
    if (agent !== undefined) agents.set(id, { ...agent, ...by(agent) });
  };
  for (const { event } of records) {
    switch (event.type) {
      case "spawn":
        // A Map keeps the position of a key that is set again.
        agents.set(event.spec.id, spawned(event.spec));
        break;
      case "start":
        change(event.actor, ({ attempts }) => ({
          ...unfinished,
          attempts: afterLeaving(attempts, event.left),
        }));
        break;
      case "boarded":
        change(event.actor, ({ attempts }) => {
          const { attempt, runner } = event;
          return { attempts: [...attempts, { attempt, runner, left: null }] };
        });
        break;
      case "reopen":
      case "prompt":
        change(event.actor, () => unfinished);
        break;
      case "turn":
        change(event.actor, ({ turns, usage }) => ({
          turns: turns + 1,
          usage: addUsage(usage, event.turn.usage),
        }));
        break;
      case "summary":
        change(event.actor, () => finished(event.summary, event.durationMs));
        break;
      case "session":
      case "model":
      case "withdrawn":
      case "to-background":
      case "before":
      case "after":
      case "reply":
      case "compacted":
      case "command":
      case "command-end":
      case "task":
      case "user-actor":
      case "paused":
      case "title":
      case "tools":
      case "end":
        break;
      default:
        event satisfies never;
    }
  }
  return [...agents.values()];
}

function afterLeaving(attempts: readonly PastAttempt[], left: string | undefined): readonly PastAttempt[] {
  const last = attempts.at(-1);
  return last === undefined || left === undefined ? attempts : [...attempts.slice(0, -1), { ...last, left }];
}

const unfinished = { status: null, summary: null, durationMs: null } as const;

function spawned(spec: ActorSpec): AgentHistory {
  const { id, parent, depth, type, description, turns } = spec;
  const { length } = turns;
  return {
    ...{ id, parent, depth, type, description, ...unfinished, turns: length, usage: usageOf(turns) },
    attempts: [],
  };
}

function finished(summary: Summary, durationMs: number): Partial<AgentHistory> {
  return { status: summary.status, summary, durationMs, turns: summary.turns, usage: summary.usage };
}

export interface SessionHistory {
  readonly id: SessionId;
  readonly cwd: string;
  readonly title: string;
  /** From the latest `session` record: a resumed session may have changed it. */
  readonly model: string;
  /** Wall time, ISO 8601. */
  readonly startedAt: string;
  /** Null while open: it runs, or it was killed. If set, `end` is its last record. */
  readonly endedAt: string | null;
  readonly status: Status | null;
}

/** Returns null without a `session` record. */
export function sessionOf(records: Records): SessionHistory | null {
  let session: SessionHistory | null = null;
  for (const record of records) session = afterRecord(session, record);
  return session;
}

function afterRecord(known: SessionHistory | null, { at, event }: JournalRecord): SessionHistory | null {
  if (event.type === "session") {
    const { id, cwd, title, model } = event;
    return { ...(known ?? { id, cwd, title, startedAt: at }), model, endedAt: null, status: null };
  }
  if (known === null) return null;
  if (event.type === "title") return { ...known, title: event.title };
  if (event.type !== "end") return { ...known, endedAt: null, status: null };
  return { ...known, title: event.title ?? known.title, endedAt: at, status: event.status };
}
