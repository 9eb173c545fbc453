import * as z from "zod/mini";
import { oneLine, shorten } from "../../lib/text.ts";
import type { CommandOutput } from "../../mailbox/runs.ts";
import { formatSize, MAX_OUTPUT_CHARS, shownOutput } from "../command-output.ts";
import { naming } from "../prompt.ts";
import { type CallContext, failed, type Tool, type ToolPrompt } from "../tool.ts";
import { type BackgroundService, noSuchTask, type TaskView } from "./service.ts";

/** A14.7. */
export const TASK_OUTPUT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 600_000;

const Input = z.strictObject({
  task_id: z.string().check(z.describe("The id of the background task (required)")),
  block: z.optional(z.boolean().check(z.describe("Whether to wait for its end (default true)"))),
  timeout: z.optional(
    z
      .number()
      .check(
        z.maximum(MAX_WAIT_MS),
        z.describe(`The longest wait in milliseconds (default ${TASK_OUTPUT_WAIT_MS})`),
      ),
  ),
});
type Input = z.infer<typeof Input>;

interface Output {
  readonly task: TaskView;
  readonly output: CommandOutput;
}

const prompt: ToolPrompt = {
  what: "Shows what a background task has written so far and whether it still runs; for a running agent its turns, time, cost, last calls and last text, marked as unfinished; after its end, its report; for a script its lines and what it returned.",
  when: "when you need the result before you can go on (it waits for the end), or to look in between (block: false), as when the user asks how it is going.",
  whenNot: [
    "to learn of the end: you are notified anyway, so never call it again and again.",
    naming`For single lines of a running command use ${"Monitor"}.`,
  ],
  how: `task_id is the id you were given. block: false returns immediately; otherwise it waits up to timeout (${TASK_OUTPUT_WAIT_MS} ms by default, ${MAX_WAIT_MS} at most).`,
  recover:
    "for an unknown id you get the running ones. When the time is up you get the output so far; the task continues.",
  limits: `all output, stdout and stderr together; output over ${MAX_OUTPUT_CHARS} characters is cut in the middle, and the named file has all of it.`,
};

export function taskOutputTool(service: BackgroundService): Tool<Input, Output, CallContext> {
  return {
    name: "TaskOutput",
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    title: ({ task_id }) => task_id,
    async call({ task_id: id, block = true, timeout = TASK_OUTPUT_WAIT_MS }, { actor, signal }) {
      if (service.find(actor, id) === null) return failed(noSuchTask(service, actor, id));
      if (block) await service.wait(actor, id, Math.max(0, timeout), signal);
      const output = await service.output(id);
      const task = service.find(actor, id);
      return task === null ? failed(noSuchTask(service, actor, id)) : { task, output };
    },
    mapToolResultToToolResultBlockParam: ({ task, output }) => {
      const text = shownOutput(output);
      return `${headline(task, output)}\n${text === "" ? "(no output)" : text}`;
    },
  };
}

/** The first line: no output can come before it. */
function headline({ id, kind, title, state, ending, ms }: TaskView, { bytes, path }: CommandOutput): string {
  const how = ending ?? `It has been running for ${Math.round(ms / 1000)} s.`;
  const file = path === null ? "" : `; ${formatSize(bytes)} of output in ${path}`;
  const what = { agent: "Agent", script: "Script", command: "Command" }[kind];
  return `[${what} ${id}: ${shorten(oneLine(title), 200)}; status: ${state}. ${how.replace(/\.$/, "")}${file}.]`;
}
