import * as z from "zod/mini";
import { naming } from "./prompt.ts";
import { decideCreate } from "./tasks/decisions.ts";
import type { TaskStore } from "./tasks/store.ts";
import type { CallContext, Tool, ToolPrompt } from "./tool.ts";

const Input = z.strictObject({
  subject: z
    .string()
    .check(z.describe("The task, as a short imperative, such as 'Add a test for expired links' (required)")),
  description: z.string().check(z.describe("Everything needed to do it (required)")),
  activeForm: z.optional(
    z.string().check(z.describe("Shown while it is in progress, such as 'Adding a test'")),
  ),
  metadata: z.optional(z.record(z.string(), z.unknown()).check(z.describe("Other data of the task"))),
});
type Input = z.infer<typeof Input>;

interface Output {
  readonly id: string;
  readonly subject: string;
}

const prompt: ToolPrompt = {
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

export function taskCreateTool(tasks: TaskStore): Tool<Input, Output, CallContext> {
  return {
    name: "TaskCreate",
    description: prompt,
    inputSchema: Input,
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
