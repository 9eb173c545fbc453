import {
  afterChange,
  openBlockers,
  type Task,
  type TaskChange,
  type TaskGraph,
  type TaskStatus,
  taskInProgress,
} from "../../journal/task-graph.ts";
import { oneLine } from "../../lib/text.ts";
import { failed, type ToolFailure } from "../tool.ts";

type Created = Extract<TaskChange, { type: "created" }>;
type Updated = Extract<TaskChange, { type: "updated" }>;
type NewTask = Omit<Created, "type" | "id" | "metadata"> & Pick<Updated, "metadata">;

export interface TaskUpdate extends Omit<Updated, "type" | "id" | "status" | "owner"> {
  readonly taskId: string;
  readonly status?: TaskStatus | "deleted" | undefined;
  readonly owner?: string | undefined;
}

export function decideCreate(graph: TaskGraph, task: NewTask): Created | ToolFailure {
  const subject = oneLine(task.subject);
  if (subject === "") return failed("subject is empty. Say in a few words what to do.");
  return {
    type: "created",
    id: String(graph.next),
    subject,
    description: task.description,
    activeForm: task.activeForm === undefined ? undefined : oneLine(task.activeForm),
    metadata: { ...task.metadata },
  };
}

/** Returns the change that an update by `actor` makes, or a failure; then nothing is changed. */
export function decideUpdate(graph: TaskGraph, update: TaskUpdate, actor: string): TaskChange | ToolFailure {
  const task = graph.tasks.get(update.taskId);
  if (!task) return unknownTask(graph, update.taskId);
  const { status } = update;
  if (status === "deleted") return { type: "deleted", id: task.id };
  const subject = update.subject === undefined ? undefined : oneLine(update.subject);
  if (subject === "") return failed("subject is empty. Leave it out to keep the old one.");
  const edges = edgeProblem(graph, task, update);
  if (edges !== null) return failed(edges);
  const owner = ownerAfter(task, update, actor);
  const change: TaskChange = {
    type: "updated",
    id: task.id,
    subject,
    description: update.description,
    activeForm: update.activeForm === undefined ? undefined : oneLine(update.activeForm),
    status,
    owner: owner === task.owner ? undefined : owner,
    addBlocks: update.addBlocks && [...new Set(update.addBlocks)],
    addBlockedBy: update.addBlockedBy && [...new Set(update.addBlockedBy)],
    metadata: update.metadata && { ...update.metadata },
  };
  const work = startProblem(graph, task, afterChange(graph, change), status === "in_progress");
  return work === null ? change : failed(work);
}

/** An agent that starts a task without an owner becomes its owner; an empty owner removes the owner. */
function ownerAfter(task: Task, { owner, status }: TaskUpdate, actor: string): string | null {
  const named = owner === undefined ? task.owner : oneLine(owner) || null;
  const working = (status ?? task.status) === "in_progress";
  return named ?? (working ? actor : null);
}

/** Every edge must lead to an existing task, and none may close a cycle. */
function edgeProblem(graph: TaskGraph, task: Task, update: TaskUpdate): string | null {
  const { addBlocks = [], addBlockedBy = [] } = update;
  const edges = [
    ...addBlocks.map((other) => ({ other, blocker: task.id, blocked: other })),
    ...addBlockedBy.map((other) => ({ other, blocker: other, blocked: task.id })),
  ];
  let after = graph;
  for (const { other, blocker, blocked } of edges) {
    if (other === task.id) return `Task ${task.id} cannot block itself. Name another task.`;
    if (!graph.tasks.has(other)) return unknownTask(graph, other).message;
    const way = wayBetween(after, blocked, blocker);
    if (way !== null) {
      return `Task ${blocker} cannot block task ${blocked}: it already waits for it (${way.join(" blocks ")}), and then neither could start. Nothing was changed.`;
    }
    after = afterChange(after, { type: "updated", id: blocker, addBlocks: [blocked] });
  }
  return null;
}

/** Returns the tasks on a path along the edges, both ends included; null if there is no path. */
function wayBetween(graph: TaskGraph, from: string, to: string): string[] | null {
  const cameFrom = new Map<string, string | null>([[from, null]]);
  for (const id of cameFrom.keys()) {
    if (id === to) break;
    for (const next of graph.tasks.get(id)?.blocks ?? []) {
      // The loop also visits keys that are added in it.
      if (!cameFrom.has(next)) cameFrom.set(next, id);
    }
  }
  if (!cameFrom.has(to)) return null;
  const way: string[] = [];
  for (let at: string | null = to; at !== null; at = cameFrom.get(at) ?? null) way.unshift(at);
  return way;
}

/** One task in progress per owner (A22.7), and none that waits for another. */
function startProblem(graph: TaskGraph, before: Task, after: TaskGraph, taking: boolean): string | null {
  const task = after.tasks.get(before.id);
  if (task?.status !== "in_progress" || task.owner === null) return null;
  const blockers = openBlockers(after, task);
  if (taking && blockers.length > 0) {
    return `Task ${task.id} is blocked by ${blockers.join(", ")}: that comes first. Nothing was changed.`;
  }
  const other = taskInProgress(graph, task.owner);
  if (!other || other.id === task.id) return null;
  return `${task.owner} is already working on task ${other.id} (${other.subject}). Complete it, or set it back to pending, before another one. Nothing was changed.`;
}

export function unknownTask(graph: TaskGraph, id: string): ToolFailure {
  const known = [...graph.tasks.keys()];
  const there = known.length === 0 ? "There are no tasks yet" : `There are: ${known.join(", ")}`;
  return failed(`There is no task ${JSON.stringify(id)}. ${there}.`);
}
