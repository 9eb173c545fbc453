import * as z from "zod/mini";
import { naming } from "./prompt.ts";
import { unknownTask } from "./tasks/decisions.ts";
import type { TaskStore } from "./tasks/store.ts";
import { taskText } from "./tasks/words.ts";
import type { CallContext, Tool, ToolPrompt } from "./tool.ts";

const Input = z.strictObject({
  taskId: z.string().check(z.describe("Id of the task to show (required)")),
});
type Input = z.infer<typeof Input>;

const prompt: ToolPrompt = {
  what: "Shows one task whole: description, status, owner, metadata, what it blocks and what it waits for.",
  when: "before you begin a task, because its line in a list is not all that is to be done; and to see whether what it waits for is completed.",
  whenNot: ["for an overview.", naming`That is what ${"TaskList"} gives.`],
  how: "taskId is the number in front of a task in the list.",
  recover: "an unknown id is answered with the ids there are; a deleted task does not come back.",
  limits: "one task per call; several calls can be sent in one reply.",
};

export function taskGetTool(tasks: TaskStore): Tool<Input, string, CallContext> {
  return {
    name: "TaskGet",
    aliases: [],
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    parallel: true,
    title: ({ taskId }) => `task ${taskId}`,
    accesses: () => [],
    async call({ taskId }, { actor }) {
      const task = tasks.graph.tasks.get(taskId);
      return task ? taskText(tasks.graph, task, actor) : unknownTask(tasks.graph, taskId);
    },
    mapToolResultToToolResultBlockParam: (text) => text,
  };
}
