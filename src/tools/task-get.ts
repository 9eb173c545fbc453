import * as z from "zod/mini";
import { naming } from "./prompt.ts";
import { unknownTask } from "./tasks/decisions.ts";
import { taskText } from "./tasks/format.ts";
import type { TaskStore } from "./tasks/store.ts";
import type { CallContext, Tool, ToolPrompt } from "./tool.ts";

const Input = z.strictObject({
  taskId: z.string().check(z.describe("Id of the task to show (required)")),
});
type Input = z.infer<typeof Input>;

const prompt: ToolPrompt = {
  what: "Shows all of one task: description, status, owner, metadata, what it blocks and what it waits for.",
  when: "before you begin a task, because its line in a list is not the whole task; and to see whether the tasks it waits for are completed.",
  whenNot: ["for an overview.", naming`Use ${"TaskList"} for that.`],
  how: "taskId is the number in front of a task in the list.",
  recover: "for an unknown id you get the existing ids; a deleted task cannot be restored.",
  limits: "one task per call; several calls can be sent in one reply.",
};

export function taskGetTool(tasks: TaskStore): Tool<Input, string, CallContext> {
  return {
    name: "TaskGet",
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    title: ({ taskId }) => `task ${taskId}`,
    async call({ taskId }, { actor }) {
      const task = tasks.graph.tasks.get(taskId);
      return task ? taskText(tasks.graph, task, actor) : unknownTask(tasks.graph, taskId);
    },
    mapToolResultToToolResultBlockParam: (text) => text,
  };
}
