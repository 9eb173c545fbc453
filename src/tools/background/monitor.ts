import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import { type CallContext, failed, type Tool, type ToolPrompt } from "../tool.ts";
import { type BackgroundService, noSuchTask, type TaskView } from "./service.ts";

/** Limits of one notification about one command. */
export const MAX_MONITOR_LINES = 50;
export const MAX_MONITOR_CHARS = 4_000;

const Input = z.strictObject({
  task_id: z.string().check(z.describe("The id of the command in the background (required)")),
  pattern: z.optional(
    z
      .string()
      .check(
        z.describe(
          "Only lines that contain this text, as it is written; several texts are separated by |, and one of them is enough",
        ),
      ),
  ),
});
type Input = z.infer<typeof Input>;

const prompt: ToolPrompt = {
  what: "Notifies you of the new lines that a background command writes, as they come.",
  when: "for a server, a watcher or a long build with lines that matter: it is ready, something failed.",
  whenNot: ["to learn of the end: you are notified anyway.", naming`To see all output use ${"TaskOutput"}.`],
  how: [
    "call it once for a command; then do something else, or end your turn: new lines arrive as a notification. Lines that you have not seen yet come first.",
    "pattern is plain text, not a regular expression. Choose it narrowly: every notification costs a turn.",
  ],
  recover:
    "for an unknown id you get the running ones. Calling it again for the same command replaces the pattern.",
  limits: `lines of stdout and stderr; at most ${MAX_MONITOR_LINES} lines and ${MAX_MONITOR_CHARS} characters a notification, and several that come together are one.`,
};

export function monitorTool(service: BackgroundService): Tool<Input, TaskView, CallContext> {
  return {
    name: "Monitor",
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    title: ({ task_id, pattern }) => (pattern === undefined ? task_id : `${task_id}: ${pattern}`),
    async call({ task_id: id, pattern = "" }, { actor }) {
      const task = service.find(actor, id);
      if (task === null) return failed(noSuchTask(service, actor, id));
      if (task.kind !== "command") {
        const what =
          task.kind === "agent" ? "an agent: it writes no lines" : "a script: its lines come at its end";
        return failed(`${id} is ${what}. You are notified when it has ended.`);
      }
      if (task.state !== "running") return failed(`${id} has ended: ${task.ending ?? "no more lines come."}`);
      service.follow(
        id,
        pattern.split("|").filter((word) => word !== ""),
      );
      return task;
    },
    mapToolResultToToolResultBlockParam: ({ id }) =>
      `You will be notified of new lines of ${id}. Do not wait for them: do something else, or end your turn.`,
  };
}
