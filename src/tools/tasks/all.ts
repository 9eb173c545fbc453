import { bindTool, type SealedTool } from "../bind-tool.ts";
import { taskCreateTool } from "../task-create.ts";
import { taskGetTool } from "../task-get.ts";
import { taskListTool } from "../task-list.ts";
import { taskUpdateTool } from "../task-update.ts";
import type { TaskStore } from "./store.ts";

/** The tools of the session's task list; they run where it is kept. */
export function taskTools(tasks: TaskStore): readonly SealedTool[] {
  return [
    bindTool(taskCreateTool(tasks)),
    bindTool(taskGetTool(tasks)),
    bindTool(taskUpdateTool(tasks)),
    bindTool(taskListTool(tasks)),
  ];
}
