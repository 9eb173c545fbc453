import type { Journal } from "../../journal/journal.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import {
  afterChange,
  noTasks,
  type TaskChange,
  type TaskGraph,
  taskInProgress,
} from "../../mailbox/task-graph.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { TaskStore } from "../../tools/tasks/store.ts";

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

/** The session's tasks, shared by its agents: a fold of the journal's events. */
class Tasks implements TaskStore {
  #graph: TaskGraph;
  readonly #journal: Journal;
  readonly #onChange: (graph: TaskGraph) => void;

  constructor(journal: Journal, onChange: (graph: TaskGraph) => void, graph = noTasks) {
    this.#graph = graph;
    this.#journal = journal;
    this.#onChange = onChange;
  }

  get graph(): TaskGraph {
    return this.#graph;
  }

  async record(change: TaskChange, by: ActorId): Promise<void> {
    // Applied immediately, so that the next decision sees it.
    this.#graph = afterChange(this.#graph, change);
    await this.#journal.append({ type: "task", actor: by, change });
    this.#onChange(this.#graph);
  }
}
