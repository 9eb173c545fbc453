import type { ActorId } from "../../mailbox/ids.ts";
import type { CommandOutput } from "../../mailbox/runs.ts";

export interface TaskView {
  readonly id: string;
  readonly kind: "command" | "script" | "agent";
  readonly title: string;
  readonly state: "running" | "exited" | "killed";
  /** How it ended, as a sentence; null while it runs. */
  readonly ending: string | null;
  readonly ms: number;
}

/** The background tasks of a session. An actor reaches its own and those of the agents below it. */
export interface BackgroundService {
  /** Returns null if there is no such task for this actor. */
  find(asker: ActorId, id: string): TaskView | null;
  running(asker: ActorId): readonly TaskView[];
  /** Resolves when the task has ended, when the time is up, or when the signal is aborted. */
  wait(asker: ActorId, id: string, ms: number, signal: AbortSignal): Promise<void>;
  /** Returns what it has written so far, and counts it as seen; for an agent its report, once it has ended. */
  output(id: string): Promise<CommandOutput>;
  stop(id: string): Promise<void>;
  /** Notifies the task's owner of new lines with one of the words from now on; no words: all lines. */
  follow(id: string, words: readonly string[]): void;
}

/** Commands and scripts in the background of all agents of a session, as its user reaches them. */
export interface SessionTasks {
  /** In the order in which they started, with those that have ended. */
  list(): readonly TaskView[];
  /** Returns what it has written so far; nothing for an unknown ID. */
  output(id: string): Promise<CommandOutput>;
  /** Resolves when it has ended. The agent that started it gets a notice. */
  stop(id: string): Promise<void>;
}

/** The result for an unknown id (A14.8). */
export function noSuchTask(service: BackgroundService, asker: ActorId, id: string): string {
  const running = service.running(asker).map((task) => `${task.id} (${task.title})`);
  const there = running.length === 0 ? "You have no running tasks." : `Running: ${running.join(", ")}.`;
  return `There is no background task ${JSON.stringify(id)}. ${there}`;
}
