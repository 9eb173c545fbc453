import * as z from "zod/mini";
import type { CommandOutput } from "../../mailbox/runs.ts";
import { MAX_OUTPUT_CHARS, shownOutput, sizeOf } from "../command-output.ts";
import { naming } from "../prompt.ts";
import { type CallContext, failed, type Tool, type ToolPrompt } from "../tool.ts";
import { type BackgroundService, noSuchTask, type TaskView } from "./service.ts";

/** A14.7. */
export const TASK_OUTPUT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 600_000;

const Input = z.strictObject({
  task_id: z.string().check(z.describe("The id of the background task (required)")),
  block: z.optional(z.boolean().check(z.describe("Whether to wait for its end; true where absent"))),
  timeout: z.optional(
    z
      .number()
      .check(
        z.maximum(MAX_WAIT_MS),
        z.describe(`The longest wait in milliseconds; ${TASK_OUTPUT_WAIT_MS} where absent`),
      ),
  ),
});
type Input = z.infer<typeof Input>;

interface Output {
  readonly task: TaskView;
  readonly output: CommandOutput;
}

const prompt: ToolPrompt = {
  what: "Shows what a background task has written so far and whether it still runs; of an agent that still works, its turns, time, cost, last calls and last words, marked as unfinished; after its end, its report.",
  when: "when you need the result before you can go on (it waits for the end), or to look in between (block: false), as when the user asks how it is going.",
  whenNot: [
    "to be told of the end: you are told without asking, so never call it again and again.",
    naming`For single lines of a command that goes on use ${"Monitor"}.`,
  ],
  how: `task_id is the id you were given. block: false answers at once; otherwise it waits up to timeout (${TASK_OUTPUT_WAIT_MS} ms where absent, ${MAX_WAIT_MS} at most).`,
  recover:
    "an unknown id is answered with those that are running. When the time is up it answers with what there is so far; the task goes on.",
  limits: `all output, stdout and stderr together; what is over ${MAX_OUTPUT_CHARS} characters is cut in the middle, and the file that is named has it whole.`,
};

export function taskOutputTool(desk: BackgroundService): Tool<Input, Output, CallContext> {
  return {
    name: "TaskOutput",
    aliases: [],
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    parallel: true,
    title: ({ task_id }) => task_id,
    accesses: () => [],
    async call({ task_id: id, block = true, timeout = TASK_OUTPUT_WAIT_MS }, { actor, signal }) {
      if (desk.find(actor, id) === null) return failed(noSuchTask(desk, actor, id));
      if (block) await desk.wait(actor, id, Math.max(0, timeout), signal);
      const output = await desk.output(id);
      const task = desk.find(actor, id);
      return task === null ? failed(noSuchTask(desk, actor, id)) : { task, output };
    },
    mapToolResultToToolResultBlockParam: ({ task, output }) => {
      const text = shownOutput(output);
      return `${headline(task, output)}\n${text === "" ? "(no output)" : text}`;
    },
  };
}

/** First, and one line: nothing that was written can come before it. */
function headline({ id, kind, title, state, ending, ms }: TaskView, { bytes, path }: CommandOutput): string {
  const how = ending ?? `It is running, for ${Math.round(ms / 1000)} s now.`;
  const file = path === null ? "" : `; ${sizeOf(bytes)} of output in ${path}`;
  const what = kind === "agent" ? "Agent" : "Command";
  return `[${what} ${id}: ${oneLine(title)}; status: ${state}. ${how.replace(/\.$/, "")}${file}.]`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, 200);
}
