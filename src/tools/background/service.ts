import type { ActorId } from "../../mailbox/ids.ts";
import type { CommandOutput } from "../../mailbox/runs.ts";

/** Something that runs beside a conversation: a command in the background, or an agent. */
export interface TaskView {
  readonly id: string;
  readonly kind: "command" | "agent";
  /** What it is, in one line. */
  readonly title: string;
  readonly state: "running" | "exited" | "killed";
  /** How it ended, as a sentence; null while it runs. */
  readonly ending: string | null;
  /** Milliseconds it has run. */
  readonly ms: number;
}

/** Who keeps what runs in the background: the supervisor. An actor reaches its own and what is below it. */
export interface BackgroundService {
  /** Null: there is no such task for this actor. */
  find(asker: ActorId, id: string): TaskView | null;
  running(asker: ActorId): readonly TaskView[];
  /** Resolves when the task has ended, when the time is up, or when the signal is aborted. */
  wait(asker: ActorId, id: string, ms: number, signal: AbortSignal): Promise<void>;
  /** What it has written so far, and counts it as seen; of an agent its report, once it has ended. */
  output(id: string): Promise<CommandOutput>;
  /** Ends it; resolves when it is gone. */
  stop(id: string): Promise<void>;
  /** Tells the task's owner of new lines from now on, those with one of the words; no words: all. */
  follow(id: string, words: readonly string[]): void;
}

/** The answer to an id that means nothing here (A14.8). */
export function noSuchTask(desk: BackgroundService, asker: ActorId, id: string): string {
  const running = desk.running(asker).map((task) => `${task.id} (${task.title})`);
  const there = running.length === 0 ? "Nothing of yours is running." : `Running: ${running.join(", ")}.`;
  return `There is no background task ${JSON.stringify(id)}. ${there}`;
}
