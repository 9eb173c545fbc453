import * as z from "zod/mini";
import type { Todo } from "../mailbox/messages.ts";
import {
  type AgentCallContext,
  failed,
  naming,
  type Tool,
  type ToolFailure,
  type ToolPrompt,
} from "./tool.ts";

/** One thing at a time (A14.4). */
export const MAX_IN_PROGRESS = 1;

const Input = z.strictObject({
  todos: z
    .array(
      z.object({
        content: z.string().check(z.describe("The step, as an imperative: 'Run the tests' (required)")),
        status: z.enum(["pending", "in_progress", "completed"]).check(z.describe("Its status (required)")),
        activeForm: z
          .string()
          .check(z.describe("Shown while it is in progress: 'Running the tests' (required)")),
      }),
    )
    .check(z.describe("The whole new list (required)")),
});
type Input = z.infer<typeof Input>;

const prompt: ToolPrompt = {
  what: "Writes your todo list, which the user sees; it replaces the previous one.",
  when: "for work of three steps or more, when the user asks for several things, and whenever a step begins or ends. Mark each step completed as soon as it is done, not several at the end.",
  whenNot: [
    "for one or two simple steps, or to answer a question: just do it.",
    naming`For work that other agents share use ${"TaskCreate"}.`,
  ],
  how: `todos is the whole list, every time, also the steps that did not change. At most ${MAX_IN_PROGRESS} is in_progress: the one you work on now. A step that failed or is half done stays in_progress; add a step for what blocks it.`,
  recover:
    "if a list is refused, the old one stays; correct what the message names and send all of it again.",
  limits: "the list is yours alone and ends with you; an empty list clears it.",
};

export const todoWriteTool: Tool<Input, readonly Todo[], AgentCallContext> = {
  name: "TodoWrite",
  description: prompt,
  inputSchema: Input,
  // It changes only the agent's own list.
  permissionLevel: "read",
  // The lists of one reply must be written in order.
  parallel: false,
  title: ({ todos }) => working(todos)?.activeForm ?? `${todos.length} steps`,
  async call({ todos }, { todo }): Promise<readonly Todo[] | ToolFailure> {
    const problem = todoProblem(todos);
    if (problem !== null) return failed(`${problem} The list was not changed.`);
    todo.replace(todos);
    return todos;
  },
  mapToolResultToToolResultBlockParam: (todos) => resultText(todos),
};

function todoProblem(todos: readonly Todo[]): string | null {
  const blank = todos.findIndex(({ content, activeForm }) => !content.trim() || !activeForm.trim());
  if (blank >= 0) return `Todo ${blank + 1} has an empty content or activeForm; say what to do.`;
  const begun = todos.filter(({ status }) => status === "in_progress");
  if (begun.length <= MAX_IN_PROGRESS) return null;
  const named = begun.map(({ content }) => JSON.stringify(content)).join(", ");
  return `${begun.length} todos are in_progress (${named}), and only ${MAX_IN_PROGRESS} may be: keep the one you work on now and set the others to pending.`;
}

function resultText(todos: readonly Todo[]): string {
  if (todos.length === 0) return "The list is empty now.";
  const count = (status: Todo["status"]) => todos.filter((todo) => todo.status === status).length;
  const counts = `${count("completed")} completed, ${count("in_progress")} in progress, ${count("pending")} pending`;
  const now = working(todos);
  if (now) return `The list is written: ${counts}. Continue with: ${now.content}`;
  return count("pending") === 0
    ? `The list is written: ${counts}.`
    : `The list is written: ${counts}. Set the step you start with to in_progress.`;
}

function working(todos: readonly Todo[]): Todo | undefined {
  return todos.find(({ status }) => status === "in_progress");
}
