import { type SealedTool, seal } from "../sealed.ts";
import { taskCreateTool } from "../task-create.ts";
import { taskGetTool } from "../task-get.ts";
import { taskListTool } from "../task-list.ts";
import { taskUpdateTool } from "../task-update.ts";
import type { TaskStore } from "./store.ts";

/** The tools of the session's task list; they run where it is kept. */
export function taskTools(tasks: TaskStore): readonly SealedTool[] {
  return [
    seal(taskCreateTool(tasks)),
    seal(taskGetTool(tasks)),
    seal(taskUpdateTool(tasks)),
    seal(taskListTool(tasks)),
  ];
}
