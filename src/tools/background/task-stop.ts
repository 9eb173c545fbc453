import * as z from "zod/mini";
import { type CallContext, failed, type Tool, type ToolPrompt } from "../tool.ts";
import { type BackgroundService, noSuchTask, type TaskView } from "./service.ts";

const Input = z.strictObject({
  task_id: z.string().check(z.describe("The id of the background task to end (required)")),
});
type Input = z.infer<typeof Input>;

const prompt: ToolPrompt = {
  what: "Ends a background task: a command with all that it started, or an agent with all below it.",
  when: "when a server, a watcher or an agent is no longer needed, or went wrong.",
  whenNot: "for something that ends by itself: you are told when it does.",
  how: "task_id is the id you were given when it was started.",
  recover:
    "an unknown id is answered with those that are running. Ending what has ended already is no error.",
  limits:
    "a command is asked to end first and is killed after two seconds. What it had written stays readable.",
};

export function taskStopTool(desk: BackgroundService): Tool<Input, TaskView, CallContext> {
  return {
    name: "TaskStop",
    aliases: [],
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    parallel: true,
    title: ({ task_id }) => task_id,
    accesses: () => [],
    async call({ task_id: id }, { actor }) {
      if (desk.find(actor, id)?.state === "running") await desk.stop(id);
      return desk.find(actor, id) ?? failed(noSuchTask(desk, actor, id));
    },
    mapToolResultToToolResultBlockParam: ({ id, title, state, ending }) =>
      `Task ${id} (${title}), status: ${state}. ${ending ?? "It is being ended."}`,
  };
}
