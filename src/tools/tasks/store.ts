import type { ActorId } from "../../mailbox/ids.ts";
import type { TaskChange, TaskGraph } from "../../mailbox/task-graph.ts";

/** Who keeps the session's tasks: the supervisor, for all its agents. */
export interface TaskStore {
  /** As of now, changes included that are not durable yet. */
  readonly graph: TaskGraph;
  /** In the graph at once; durable when it resolves. Rejects where the journal cannot be written. */
  record(change: TaskChange, by: ActorId): Promise<void>;
}
