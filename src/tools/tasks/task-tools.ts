import * as z from "zod/mini";
import { openBlockers, type Task, type TaskChange, type TaskGraph } from "../../journal/task-graph.ts";
import { type CallContext, naming, type Tool, type ToolFailure, type ToolPrompt } from "../tool.ts";
import { decideCreate, decideUpdate, unknownTask } from "./decisions.ts";

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

const CreateInput = z.strictObject({
  subject: z
    .string()
    .check(z.describe("The task, as a short imperative, such as 'Add a test for expired links' (required)")),
  description: z.string().check(z.describe("Everything needed to do it (required)")),
  activeForm: z.optional(
    z.string().check(z.describe("Shown while it is in progress, such as 'Adding a test'")),
  ),
  metadata: z.optional(z.record(z.string(), z.unknown()).check(z.describe("Other data of the task"))),
});
type CreateInput = z.infer<typeof CreateInput>;

interface Output {
  readonly id: string;
  readonly subject: string;
}

const createPrompt: ToolPrompt = {
  what: "Adds a task to the session's task list, which all its agents share and which outlives them.",
  when: "for work of several parts that depend on each other or are divided among agents; one call for each part, before the work begins.",
  whenNot: [
    "for a single step, or to answer a question.",
    naming`For your own steps of a short piece of work, ${"TodoWrite"} is simpler.`,
  ],
  how: [
    "description must stand alone: another agent may do it. A new task is pending and has no owner.",
    naming`To say what it waits for and who does it, use ${"TaskUpdate"}.`,
  ],
  recover: [
    "the message says what is missing. Then nothing was added.",
    naming`Look at ${"TaskList"} before you add a task that may exist.`,
  ],
  limits: "you get the new task's id. Ids are never reused.",
};

export function taskCreateTool(tasks: TaskStore): Tool<CreateInput, Output, CallContext> {
  return {
    name: "TaskCreate",
    description: createPrompt,
    inputSchema: CreateInput,
    permissionLevel: "read",
    repeatable: false,
    title: ({ subject }) => subject,
    async call(input, context) {
      const made = await tasks.change((graph) => decideCreate(graph, input), context);
      if (made.type === "tool-failure") return made;
      return { id: made.change.id, subject: made.change.subject };
    },
    mapToolResultToToolResultBlockParam: ({ id, subject }) => `Task ${id} was added: ${subject}`,
  };
}

const GetInput = z.strictObject({
  taskId: z.string().check(z.describe("Id of the task to show (required)")),
});
type GetInput = z.infer<typeof GetInput>;

const getPrompt: ToolPrompt = {
  what: "Shows all of one task: description, status, owner, metadata, what it blocks and what it waits for.",
  when: "before you begin a task, because its line in a list is not the whole task; and to see whether the tasks it waits for are completed.",
  whenNot: ["for an overview.", naming`Use ${"TaskList"} for that.`],
  how: "taskId is the number in front of a task in the list.",
  recover: "for an unknown id you get the existing ids; a deleted task cannot be restored.",
  limits: "one task per call; several calls can be sent in one reply.",
};

export function taskGetTool(tasks: TaskStore): Tool<GetInput, string, CallContext> {
  return {
    name: "TaskGet",
    description: getPrompt,
    inputSchema: GetInput,
    permissionLevel: "read",
    title: ({ taskId }) => `task ${taskId}`,
    async call({ taskId }, { actor }) {
      const task = tasks.graph.tasks.get(taskId);
      return task ? taskText(tasks.graph, task, actor) : unknownTask(tasks.graph, taskId);
    },
    mapToolResultToToolResultBlockParam: (text) => text,
  };
}

const ListInput = z.strictObject({});
type ListInput = z.infer<typeof ListInput>;

const listPrompt: ToolPrompt = {
  what: "Lists the session's tasks: id, status, subject, owner, and the tasks each still waits for.",
  when: "to see the progress, and to find a task to start: pending, without an owner, waiting for nothing. Look again when a task is completed, because others may have become free.",
  whenNot: ["to learn all about one task.", naming`${"TaskGet"} shows all of it.`],
  how: "it takes no arguments.",
  recover: [
    "an empty list means that nothing was planned, or that all of it was deleted.",
    naming`${"TaskCreate"} adds to it.`,
  ],
  limits: "one line per task, in the order they were added; completed ones are listed too.",
};

export function taskListTool(tasks: TaskStore): Tool<ListInput, string, CallContext> {
  return {
    name: "TaskList",
    description: listPrompt,
    inputSchema: ListInput,
    permissionLevel: "read",
    title: () => "all tasks",
    async call(_, { actor }) {
      const { graph } = tasks;
      const lines = [...graph.tasks.values()].map((task) => taskLine(graph, task, actor));
      return lines.join("\n") || "There are no tasks.";
    },
    mapToolResultToToolResultBlockParam: (text) => text,
  };
}

const ids = (what: string) => z.optional(z.array(z.string()).check(z.describe(what)));

const UpdateInput = z.strictObject({
  taskId: z.string().check(z.describe("Id of the task to change (required)")),
  subject: z.optional(z.string().check(z.describe("Another subject"))),
  description: z.optional(z.string().check(z.describe("Another description"))),
  activeForm: z.optional(z.string().check(z.describe("Another text to show while it is in progress"))),
  status: z.optional(
    z
      .enum(["pending", "in_progress", "completed", "deleted"])
      .check(z.describe("Another status; deleted removes the task permanently")),
  ),
  addBlocks: ids("Ids of tasks that must wait for this one"),
  addBlockedBy: ids("Ids of tasks that this one must wait for"),
  owner: z.optional(z.string().check(z.describe("The new owner; an empty text for none"))),
  metadata: z.optional(
    z.record(z.string(), z.unknown()).check(z.describe("Keys to set; null removes a key, others stay")),
  ),
});
type UpdateInput = z.infer<typeof UpdateInput>;

const updatePrompt: ToolPrompt = {
  what: "Changes a task of the session's list: its text, status, owner, metadata and what it waits for; or removes it.",
  when: "in_progress when you start a task, completed when it is done and checked, one task at a time; also to divide tasks among owners and to set their order.",
  whenNot: [
    "to mark a task completed that failed or is half done: keep it in_progress, or add a task for what is missing.",
    naming`To add one use ${"TaskCreate"}.`,
  ],
  how: [
    "only the given fields change. An agent that sets a task without an owner in_progress becomes its owner; an owner works on one task at a time, and a task that waits for others cannot be started. addBlocks and addBlockedBy say the same from both ends: one of them is enough. deleted cannot be undone.",
  ],
  recover: [
    "the message names the reason: an unknown id, a cycle, a task to be completed first. Then nothing was changed.",
    naming`${"TaskList"} shows the current state.`,
  ],
  limits: "you get the task's line, and the tasks that are no longer blocked.",
};

export function taskUpdateTool(tasks: TaskStore): Tool<UpdateInput, string, CallContext> {
  return {
    name: "TaskUpdate",
    description: updatePrompt,
    inputSchema: UpdateInput,
    permissionLevel: "read",
    // Two calls of one reply may be steps of one plan.
    parallel: false,
    title: ({ taskId, status = "" }) =>
      [`task ${taskId}`, status.replace("_", " ")].filter(Boolean).join(": "),
    async call(input, context) {
      const { actor } = context;
      const made = await tasks.change((graph) => decideUpdate(graph, input, actor), context);
      if (made.type === "tool-failure") return made;
      const { before } = made;
      const { graph } = tasks;
      const task = graph.tasks.get(input.taskId);
      const now = task ? taskLine(graph, task, actor) : `Task ${input.taskId} was deleted.`;
      const free = freed(before, graph);
      return free.length === 0 ? now : `${now}\nNo longer blocked: ${free.join(", ")}.`;
    },
    mapToolResultToToolResultBlockParam: (text) => text,
  };
}

/** Returns unfinished tasks that were blocked before and are not now. */
function freed(before: TaskGraph, after: TaskGraph): string[] {
  return [...after.tasks.values()]
    .filter((task) => task.status !== "completed" && openBlockers(after, task).length === 0)
    .filter(({ id }) => {
      const was = before.tasks.get(id);
      return was !== undefined && openBlockers(before, was).length > 0;
    })
    .map(({ id }) => id);
}

/** Returns one line of a list (A14.6): ID, status, subject, owner, and what the task waits for. */
export function taskLine(graph: TaskGraph, task: Task, reader: string): string {
  const blockers = openBlockers(graph, task);
  const notes = [
    ...(task.owner === null ? [] : [`owner: ${ownerText(task.owner, reader)}`]),
    ...(blockers.length === 0 ? [] : [`blockedBy: ${blockers.join(", ")}`]),
  ];
  return `${task.id} [${task.status}] ${task.subject}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
}

/** Returns everything about one task. */
export function taskText(graph: TaskGraph, task: Task, reader: string): string {
  const others = (ids: readonly string[]) =>
    ids.map((id) => `${id} (${graph.tasks.get(id)?.status ?? "gone"})`).join(", ") || "none";
  return [
    `Task ${task.id}: ${task.subject}`,
    `status: ${task.status}`,
    `owner: ${task.owner === null ? "none" : ownerText(task.owner, reader)}`,
    ...(task.activeForm === undefined ? [] : [`activeForm: ${task.activeForm}`]),
    `blocks: ${others(task.blocks)}`,
    `blockedBy: ${others(task.blockedBy)}`,
    ...(Object.keys(task.metadata).length === 0 ? [] : [`metadata: ${JSON.stringify(task.metadata)}`]),
    "",
    task.description,
  ].join("\n");
}

function ownerText(owner: string, reader: string): string {
  return owner === reader ? `${owner}, which is you` : owner;
}
