import type { ActorId } from "../../mailbox/ids.ts";
import type { TaskChange, TaskGraph } from "../../mailbox/task-graph.ts";

/** The tasks of a session, shared by all its agents. */
export interface TaskStore {
  /** Includes changes that are not durable yet. */
  readonly graph: TaskGraph;
  /** Changes the graph immediately; resolves when the change is durable, rejects if the journal cannot be written. */
  record(change: TaskChange, by: ActorId): Promise<void>;
}
