import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import { type CallContext, failed, type Tool, type ToolPrompt } from "../tool.ts";
import { formatTime, type TimerService, type TimerView } from "./service.ts";

const Input = z.strictObject({
  cron: z
    .string()
    .check(
      z.describe(
        "Standard 5-field cron expression in local time: minute, hour, day of month, month, day of week, such as '*/5 * * * *' for every 5 minutes (required)",
      ),
    ),
  prompt: z
    .string()
    .check(z.minLength(1), z.describe("What is sent to this conversation each time (required)")),
  recurring: z
    ._default(z.boolean(), true)
    .check(z.describe("True for each matching time, for 7 days; false for the next one only (default true)")),
  durable: z
    ._default(z.boolean(), false)
    .check(
      z.describe(
        "True to keep it in .claude/scheduled_tasks.json after the end of the program; false for this session only (default false)",
      ),
    ),
});
type Input = z.infer<typeof Input>;

const prompt: ToolPrompt = {
  what: "Schedules a prompt that is sent to this conversation at the times of a cron expression, in the local time zone.",
  when: "if the user wants something at a time or again and again: a reminder, a check every 10 minutes, a report on weekday mornings.",
  whenNot: [
    "for what one command can wait for: run that in the background, its end wakes the conversation.",
    naming`For the next round of a loop whose pace you choose yourself, use ${"ScheduleWakeup"}.`,
  ],
  how: "the prompt must stand alone, because the conversation may be about other things by then. A prompt that is due waits until the current turn has ended. Avoid minute 0 and 30 if the exact minute does not matter.",
  recover: [
    "the message names the field that is wrong, and nothing was scheduled.",
    naming`${"CronList"} shows what is scheduled, ${"CronDelete"} ends it.`,
  ],
  limits:
    "at most 50 prompts, no finer than a minute. Recurring ones end after 7 days. Prompts run only while a conversation is open in this project; missed times become one prompt when the next conversation opens.",
};

export function cronCreateTool(service: TimerService): Tool<Input, TimerView, CallContext> {
  return {
    name: "CronCreate",
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    repeatable: false,
    title: ({ cron, prompt: text }) => `${cron} ${text}`,
    async call(input) {
      const created = await service.create(input);
      return typeof created === "string" ? failed(`Nothing was scheduled: ${created}`) : created;
    },
    mapToolResultToToolResultBlockParam: ({ id, recurring, durable, next }) =>
      [
        `Scheduled as ${id}; next at ${formatTime(next)}.`,
        recurring ? "It ends after 7 days." : "It is sent once.",
        durable ? "It survives the end of the program." : "It ends with this session.",
      ].join(" "),
  };
}
