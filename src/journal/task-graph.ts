import * as z from "zod/mini";

/**
 * The session's tasks and their dependencies. The graph is only the fold of its changes, so it is rebuilt from the
 * journal (A14.6).
 */
export interface TaskGraph {
  /** In the order of creation. */
  readonly tasks: ReadonlyMap<string, Task>;
  /** Numbers are not reused: a mention of a deleted task must not mean another one. */
  readonly next: number;
}

export const TaskStatus = z.enum(["pending", "in_progress", "completed"]);
export type TaskStatus = z.infer<typeof TaskStatus>;

export interface Task {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  /** Shown while it is in progress; by default the subject. */
  readonly activeForm?: string | undefined;
  readonly status: TaskStatus;
  /** An actor's ID, or any name a model chose. A task in progress always has one. */
  readonly owner: string | null;
  /** Edges are stored at both ends, and stay when a task is completed: it may be reopened. */
  readonly blocks: readonly string[];
  readonly blockedBy: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

const Metadata = z.record(z.string(), z.unknown());

/** A change of the graph as the journal keeps it: already decided, so that folding cannot fail. */
export const TaskChange = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.object({
      type: z.literal("created"),
      id: z.string(),
      subject: z.string(),
      description: z.string(),
      activeForm: z.optional(z.string()),
      metadata: Metadata,
    }),
    z.object({
      type: z.literal("updated"),
      id: z.string(),
      subject: z.optional(z.string()),
      description: z.optional(z.string()),
      activeForm: z.optional(z.string()),
      status: z.optional(TaskStatus),
      owner: z.optional(z.nullable(z.string())),
      addBlocks: z.optional(z.array(z.string())),
      addBlockedBy: z.optional(z.array(z.string())),
      /** Merged; a null value deletes its key. */
      metadata: z.optional(Metadata),
    }),
    z.object({ type: z.literal("deleted"), id: z.string() }),
  ]),
);
export type TaskChange = z.infer<typeof TaskChange>;
type Created = Extract<TaskChange, { type: "created" }>;
type Updated = Extract<TaskChange, { type: "updated" }>;

export const noTasks: TaskGraph = { tasks: new Map(), next: 1 };

/** Returns the graph after a change. A change of an unknown task has no effect. */
export function afterChange(graph: TaskGraph, change: TaskChange): TaskGraph {
  switch (change.type) {
    case "created":
      return created(graph, change);
    case "updated":
      return updated(graph, change);
    case "deleted":
      return deleted(graph, change.id);
    default:
      return change satisfies never;
  }
}

function created(graph: TaskGraph, { type: _, ...task }: Created): TaskGraph {
  const tasks = new Map(graph.tasks);
  const fresh = { status: "pending", owner: null, blocks: [], blockedBy: [] } as const;
  tasks.set(task.id, { ...task, ...fresh, metadata: merged({}, task.metadata) });
  return { tasks, next: Math.max(graph.next, Number(task.id) + 1) };
}

function updated(graph: TaskGraph, change: Updated): TaskGraph {
  const task = graph.tasks.get(change.id);
  if (!task) return graph;
  const { type: _, id, addBlocks = [], addBlockedBy = [], metadata = {}, ...rest } = change;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const tasks = new Map(graph.tasks);
  tasks.set(id, { ...task, ...given, metadata: merged(task.metadata, metadata) });
  for (const other of addBlocks) join(tasks, id, other);
  for (const other of addBlockedBy) join(tasks, other, id);
  return { ...graph, tasks };
}

function deleted(graph: TaskGraph, id: string): TaskGraph {
  const without = (ids: readonly string[]) => ids.filter((other) => other !== id);
  const rest = [...graph.tasks.values()]
    .filter((task) => task.id !== id)
    .map((task) => ({ ...task, blocks: without(task.blocks), blockedBy: without(task.blockedBy) }));
  return { ...graph, tasks: new Map(rest.map((task) => [task.id, task])) };
}

function join(tasks: Map<string, Task>, blocker: string, blocked: string): void {
  const [first, second] = [tasks.get(blocker), tasks.get(blocked)];
  if (!first || !second || first === second || first.blocks.includes(blocked)) return;
  tasks.set(blocker, { ...first, blocks: [...first.blocks, blocked] });
  tasks.set(blocked, { ...second, blockedBy: [...second.blockedBy, blocker] });
}

function merged(before: Task["metadata"], change: Task["metadata"]): Task["metadata"] {
  const entries = Object.entries({ ...before, ...change });
  // A journal's reader drops `__proto__`, so it must not be there before either.
  const kept = entries.filter(([key, value]) => value !== null && value !== undefined && key !== "__proto__");
  return Object.fromEntries(kept);
}

/** Returns the unfinished tasks that block this one. */
export function openBlockers(graph: TaskGraph, task: Task): string[] {
  return task.blockedBy.filter((id) => graph.tasks.get(id)?.status !== "completed");
}

/** Returns the one task an owner works on (A22.7). */
export function taskInProgress(graph: TaskGraph, owner: string): Task | undefined {
  for (const task of graph.tasks.values()) {
    if (task.status === "in_progress" && task.owner === owner) return task;
  }
  return undefined;
}
