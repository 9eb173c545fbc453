import * as z from "zod/mini";
import { openBlockers, type TaskGraph } from "../journal/task-graph.ts";
import { naming } from "./prompt.ts";
import { decideUpdate } from "./tasks/decisions.ts";
import { taskLine } from "./tasks/format.ts";
import type { TaskStore } from "./tasks/store.ts";
import type { CallContext, Tool, ToolPrompt } from "./tool.ts";

const ids = (what: string) => z.optional(z.array(z.string()).check(z.describe(what)));

const Input = z.strictObject({
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
type Input = z.infer<typeof Input>;

const prompt: ToolPrompt = {
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

export function taskUpdateTool(tasks: TaskStore): Tool<Input, string, CallContext> {
  return {
    name: "TaskUpdate",
    description: prompt,
    inputSchema: Input,
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
