import * as z from "zod/mini";
import { naming } from "./prompt.ts";
import type { TaskStore } from "./tasks/store.ts";
import { taskLine } from "./tasks/words.ts";
import type { CallContext, Tool, ToolPrompt } from "./tool.ts";

const Input = z.strictObject({});
type Input = z.infer<typeof Input>;

const prompt: ToolPrompt = {
  what: "Lists the session's tasks: id, status, subject, owner, and the tasks each still waits for.",
  when: "to see how far the work is, and to find what can be begun: pending, without an owner, waiting for nothing. Look again when a task is completed, because others may have become free.",
  whenNot: ["to learn what exactly is to be done.", naming`${"TaskGet"} shows a task whole.`],
  how: "there is nothing to give.",
  recover: [
    "an empty list means that nothing was planned, or that all of it was deleted.",
    naming`${"TaskCreate"} adds to it.`,
  ],
  limits: "one line per task, in the order they were added; completed ones are listed too.",
};

export function taskListTool(tasks: TaskStore): Tool<Input, string, CallContext> {
  return {
    name: "TaskList",
    aliases: [],
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    parallel: true,
    title: () => "all tasks",
    accesses: () => [],
    async call(_, { actor }) {
      const { graph } = tasks;
      const lines = [...graph.tasks.values()].map((task) => taskLine(graph, task, actor));
      return lines.join("\n") || "There are no tasks.";
    },
    mapToolResultToToolResultBlockParam: (text) => text,
  };
}
