import type { Journal } from "../../journal/journal.ts";
import {
  afterChange,
  noTasks,
  type TaskChange,
  type TaskGraph,
  taskInProgress,
} from "../../journal/task-graph.ts";
import { oneAtATime } from "../../lib/queues.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Todo } from "../../mailbox/messages.ts";
import type { HookCaller, HookedTask } from "../../policy/hooks/hook-results.ts";
import type { HookRunner } from "../../policy/hooks/hook-runner.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { TaskStore } from "../../tools/tasks/task-tools.ts";
import { failed, type ToolFailure } from "../../tools/tool.ts";

export interface TaskParts {
  readonly journal: Journal;
  readonly actors: Pick<Actors, "all" | "showRemarks" | "stop">;
  readonly hooks: Pick<HookRunner, "has" | "task">;
  /** On whose behalf hooks run. */
  readonly caller: (actor: ActorId, cwd: string) => HookCaller;
}

type Changing = Parameters<TaskStore["change"]>[1];

/**
 * The session's tasks, shared by its agents: a fold of the journal's events. They use no joint: the tools change them, and
 * the live tree shows each actor's own.
 */
export class SharedTasks implements TaskStore {
  #graph: TaskGraph;
  readonly #parts: TaskParts;
  /** For changes that wait for hooks: two that wait together would be decided by the same graph. */
  readonly #inTurn = oneAtATime();

  constructor(parts: TaskParts, graph = noTasks) {
    this.#parts = parts;
    this.#graph = graph;
  }

  get graph(): TaskGraph {
    return this.#graph;
  }

  /** The tasks as steps of a list. */
  get todos(): readonly Todo[] {
    return [...this.#graph.tasks.values()].map(({ subject, activeForm, status }) => ({
      ...{ content: subject, activeForm: activeForm || subject, status },
    }));
  }

  change: TaskStore["change"] = (decide, by) => {
    const { hooks } = this.#parts;
    const decided = () => {
      const change = decide(this.#graph);
      return change.type === "tool-failure"
        ? change
        : { type: "changed" as const, change, before: this.#graph };
    };
    if (!hooks.has("TaskCreated") && !hooks.has("TaskCompleted")) return this.#make(decided(), by);
    return this.#inTurn(async () => {
      const wanted = decided();
      if (wanted.type === "tool-failure") return wanted;
      const refused = await this.#refusal(wanted.change, by);
      return refused ?? this.#make(wanted, by);
    });
  };

  async #make<Made extends ToolFailure | { readonly type: "changed"; readonly change: TaskChange }>(
    made: Made,
    { actor }: Changing,
  ): Promise<Made> {
    if (made.type === "tool-failure") return made;
    // Applied immediately, so that the next decision sees it.
    this.#graph = afterChange(this.#graph, made.change);
    await this.#parts.journal.append({ type: "task", actor, change: made.change });
    this.#show();
    return made;
  }

  /** Returns what its caller reads if hooks do not let a task be created or completed. */
  async #refusal(change: TaskChange, { actor, cwd, signal }: Changing): Promise<ToolFailure | null> {
    const { hooks, caller, actors } = this.#parts;
    const task = hookedTask(change, this.#graph);
    if (task === null || !hooks.has(task.event)) return null;
    const { block, stop } = await hooks.task(task, caller(actor, cwd), signal);
    if (stop !== undefined) actors.stop(actor, { status: "cancelled", reason: `A hook ended it: ${stop}` });
    const why = block ?? stop;
    if (why === undefined) return null;
    const not = task.event === "TaskCreated" ? "was not added" : "was not completed";
    return failed(`The task ${not}: a hook said no. ${why}`);
  }

  #show(): void {
    const { actors } = this.#parts;
    for (const { id, remarks } of actors.all()) {
      const own = taskInProgress(this.#graph, id);
      const task = own === undefined ? null : own.activeForm || own.subject;
      if (task !== remarks.task) actors.showRemarks(id, { task });
    }
  }
}

/** Returns the task that a change creates or completes, as it would be; null for other changes. */
function hookedTask(change: TaskChange, graph: TaskGraph): HookedTask | null {
  const task = afterChange(graph, change).tasks.get(change.id);
  if (task === undefined) return null;
  const { id, subject, description } = task;
  if (change.type === "created") return { event: "TaskCreated", id, subject, description };
  const isCompleted = task.status === "completed" && graph.tasks.get(id)?.status !== "completed";
  return isCompleted ? { event: "TaskCompleted", id, subject, description } : null;
}
