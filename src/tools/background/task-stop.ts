import * as z from "zod/mini";
import { type CallContext, failed, type Tool, type ToolPrompt } from "../tool.ts";
import { type BackgroundService, noSuchTask, type TaskView } from "./service.ts";

const Input = z.strictObject({
  task_id: z.string().check(z.describe("The id of the background task to end (required)")),
});
type Input = z.infer<typeof Input>;

const prompt: ToolPrompt = {
  what: "Ends a background task: a command with all processes it started, or a script or an agent with all agents below it.",
  when: "when a server, a watcher or an agent is no longer needed, or went wrong.",
  whenNot: "for something that ends by itself: you are notified when it does.",
  how: "task_id is the id you were given when it was started.",
  recover: "for an unknown id you get the running ones. Ending a task that has ended is not an error.",
  limits:
    "a command is asked to end first and is killed after two seconds. What it had written stays readable.",
};

export function taskStopTool(service: BackgroundService): Tool<Input, TaskView, CallContext> {
  return {
    name: "TaskStop",
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    title: ({ task_id }) => task_id,
    async call({ task_id: id }, { actor }) {
      if (service.find(actor, id)?.state === "running") await service.stop(id);
      return service.find(actor, id) ?? failed(noSuchTask(service, actor, id));
    },
    mapToolResultToToolResultBlockParam: ({ id, title, state, ending }) =>
      `Task ${id} (${title}), status: ${state}. ${ending ?? "It is ending."}`,
  };
}
