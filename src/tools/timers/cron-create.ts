import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import { type CallContext, failed, type Tool, type ToolPrompt } from "../tool.ts";
import { formatTime, type TimerDesk, type TimerView } from "./desk.ts";

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
    .check(
      z.describe("true: at each matching time, for 7 days; false: once, at the next one (default true)"),
    ),
  durable: z
    ._default(z.boolean(), false)
    .check(
      z.describe(
        "true: keep it in .claude/scheduled_tasks.json, so that it survives the end of the program; false: only this session (default false)",
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
  how: "the prompt must stand alone, because the conversation may have gone on to other things. A prompt that is due waits until the current turn has ended. Avoid minute 0 and 30 if the exact minute does not matter.",
  recover: [
    "the message names the field that is wrong, and nothing was scheduled.",
    naming`${"CronList"} shows what is scheduled, ${"CronDelete"} ends it.`,
  ],
  limits:
    "at most 50 prompts, no finer than a minute. Recurring ones end after 7 days. Prompts run only while a conversation is open in this project; times missed meanwhile make up one prompt when the next one opens.",
};

export function cronCreateTool(desk: TimerDesk): Tool<Input, TimerView, CallContext> {
  return {
    name: "CronCreate",
    aliases: [],
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    parallel: true,
    repeatable: false,
    title: ({ cron, prompt: text }) => `${cron} ${text}`,
    accesses: () => [],
    async call(input) {
      const created = await desk.create(input);
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
