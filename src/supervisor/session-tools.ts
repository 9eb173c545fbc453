import { noTasks } from "../mailbox/task-graph.ts";
import { taskTools } from "../tools/tasks/all.ts";
import type { TaskStore } from "../tools/tasks/store.ts";
import type { CustomTool } from "./custom-tools.ts";

/** What the tools on the supervisor's side reach of the session. */
export interface SessionParts {
  readonly tasks: TaskStore;
}

/** The built-in tools on the supervisor's side, in the order models see them; Agent is made of a list of the others. */
export function sessionTools({ tasks }: SessionParts): readonly CustomTool[] {
  return [...taskTools(tasks)];
}

/** Where tools are only told of, as in lists and documents: there is no session behind them. */
export const noSession: SessionParts = {
  tasks: { graph: noTasks, record: () => Promise.reject(new Error("There is no session.")) },
};
