import type { Journal } from "../../journal/journal.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import { afterChange, noTasks, type TaskChange, type TaskGraph } from "../../mailbox/task-graph.ts";
import type { TaskStore } from "../../tools/tasks/store.ts";

/** The session's tasks, shared by its agents: a fold of the journal's events. */
export class Tasks implements TaskStore {
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
