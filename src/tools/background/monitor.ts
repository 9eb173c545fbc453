import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import { type CallContext, failed, type Tool, type ToolPrompt } from "../tool.ts";
import { type BackgroundService, noSuchTask, type TaskView } from "./service.ts";

/** Of what one notification tells of one command. */
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
  what: "Tells you of the new lines that a command in the background writes, as they come, without asking again.",
  when: "for a server, a watcher or a long build of which certain lines matter: that it is ready, that something failed.",
  whenNot: [
    "only to learn of the end: you are told of that anyway.",
    naming`To see all output at once use ${"TaskOutput"}.`,
  ],
  how: [
    "call it once for a command; then go on with something else, or end your turn: new lines reach you as a notification and you go on from there. Lines that you have not seen yet come first.",
    "pattern is plain text, no regular expression. Choose it narrow: every notification costs a turn.",
  ],
  recover:
    "an unknown id is answered with those that are running. Calling it again for the same command replaces the pattern.",
  limits: `lines of stdout and stderr; at most ${MAX_MONITOR_LINES} lines and ${MAX_MONITOR_CHARS} characters a notification, and several that come together are one.`,
};

export function monitorTool(desk: BackgroundService): Tool<Input, TaskView, CallContext> {
  return {
    name: "Monitor",
    aliases: [],
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    parallel: true,
    title: ({ task_id, pattern }) => (pattern === undefined ? task_id : `${task_id}: ${pattern}`),
    accesses: () => [],
    async call({ task_id: id, pattern = "" }, { actor }) {
      const task = desk.find(actor, id);
      if (task === null) return failed(noSuchTask(desk, actor, id));
      if (task.kind === "agent")
        return failed(`${id} is an agent: it writes no lines. You are told when it has ended.`);
      if (task.state !== "running") return failed(`${id} has ended: ${task.ending ?? "no more lines come."}`);
      desk.follow(
        id,
        pattern.split("|").filter((word) => word !== ""),
      );
      return task;
    },
    mapToolResultToToolResultBlockParam: ({ id }) =>
      `You will be told of new lines of ${id} as they come. There is nothing to wait for: go on, or end your turn.`,
  };
}
