import type { Journal } from "../../journal/journal.ts";
import { type TaskGraph, taskInProgress } from "../../mailbox/task-graph.ts";
import type { Actors } from "../../supervisor/actors.ts";
import { Tasks } from "./tasks.ts";

/** Opens the session's tasks. They use no joint: the tools change them, and the live tree shows each actor's own. */
export function openTasks(
  journal: Journal,
  actors: Pick<Actors, "all" | "showRemarks">,
  graph: TaskGraph | undefined,
): Tasks {
  const show = (tasks: TaskGraph) => {
    for (const { id, remarks } of actors.all()) {
      const own = taskInProgress(tasks, id);
      const task = own === undefined ? null : own.activeForm || own.subject;
      if (task !== remarks.task) actors.showRemarks(id, { task });
    }
  };
  return new Tasks(journal, show, graph);
}
