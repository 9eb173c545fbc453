import * as z from "zod/mini";
import { naming } from "./prompt.ts";
import { taskLine } from "./tasks/format.ts";
import type { TaskStore } from "./tasks/store.ts";
import type { CallContext, Tool, ToolPrompt } from "./tool.ts";

const Input = z.strictObject({});
type Input = z.infer<typeof Input>;

const prompt: ToolPrompt = {
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

export function taskListTool(tasks: TaskStore): Tool<Input, string, CallContext> {
  return {
    name: "TaskList",
    description: prompt,
    inputSchema: Input,
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
