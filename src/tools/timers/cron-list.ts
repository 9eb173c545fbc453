import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import type { CallContext, Tool, ToolPrompt } from "../tool.ts";
import { formatTimer, type TimerService } from "./service.ts";

const Input = z.strictObject({});
type Input = z.infer<typeof Input>;

const prompt: ToolPrompt = {
  what: "Lists the scheduled prompts of this conversation and the durable ones of this project: id, times, next time, prompt.",
  when: "before you schedule or delete a prompt, or if the user asks what is scheduled.",
  whenNot: "to wait for a prompt: it comes by itself.",
  how: "it takes no arguments.",
  recover: ["an empty list means that nothing is scheduled.", naming`${"CronDelete"} ends one by its id.`],
  limits: "one line for each prompt, the next one first.",
};

export function cronListTool(service: TimerService): Tool<Input, string, CallContext> {
  return {
    name: "CronList",
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    title: () => "scheduled prompts",
    async call() {
      const { timers, notes } = await service.list();
      return [...timers.map(formatTimer), ...notes].join("\n") || "Nothing is scheduled.";
    },
    mapToolResultToToolResultBlockParam: (text) => text,
  };
}
