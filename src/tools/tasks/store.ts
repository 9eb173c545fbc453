import type { TaskChange, TaskGraph } from "../../journal/task-graph.ts";
import type { CallContext, ToolFailure } from "../tool.ts";

/** The tasks of a session, shared by all its agents. */
export interface TaskStore {
  /** Includes changes that are not durable yet. */
  readonly graph: TaskGraph;
  /**
   * Decides a change, and makes it unless a hook forbids it; resolves when it is durable, with the graph before
   * it. Rejects if the journal cannot be written.
   */
  change<Change extends TaskChange>(
    decide: (graph: TaskGraph) => Change | ToolFailure,
    by: Pick<CallContext, "actor" | "cwd" | "signal">,
  ): Promise<ToolFailure | { readonly type: "changed"; readonly change: Change; readonly before: TaskGraph }>;
}
