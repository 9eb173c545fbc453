import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import { type CallContext, failed, type Tool, type ToolPrompt } from "../tool.ts";
import type { TimerService } from "./service.ts";

const Input = z.strictObject({
  id: z
    .string()
    .check(z.minLength(1), z.describe("The id that CronCreate or ScheduleWakeup returned (required)")),
});
type Input = z.infer<typeof Input>;

const prompt: ToolPrompt = {
  what: "Ends a scheduled prompt, also a durable one and a wake-up.",
  when: "if its purpose is fulfilled, or the user no longer wants it.",
  whenNot: "for one that is sent once and has been sent: it has ended by itself.",
  how: "give its id.",
  recover: ["an unknown id is an error.", naming`${"CronList"} shows the ids.`],
  limits: "a prompt that was sent is not recalled.",
};

export function cronDeleteTool(service: TimerService): Tool<Input, string, CallContext> {
  return {
    name: "CronDelete",
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    repeatable: false,
    title: ({ id }) => id,
    async call({ id }) {
      const problem = await service.remove(id);
      return problem === null ? id : failed(problem);
    },
    mapToolResultToToolResultBlockParam: (id) => `The scheduled prompt ${id} was deleted.`,
  };
}
