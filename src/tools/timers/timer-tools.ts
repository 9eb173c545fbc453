import * as z from "zod/mini";
import { type CallContext, failed, naming, type Tool, type ToolPrompt } from "../tool.ts";
import { formatTime, formatTimer, type TimerService, type TimerView } from "./service.ts";

const CronCreateInput = z.strictObject({
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
type CronCreateInput = z.infer<typeof CronCreateInput>;

const cronCreatePrompt: ToolPrompt = {
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

export function cronCreateTool(service: TimerService): Tool<CronCreateInput, TimerView, CallContext> {
  return {
    name: "CronCreate",
    description: cronCreatePrompt,
    inputSchema: CronCreateInput,
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

const CronListInput = z.strictObject({});
type CronListInput = z.infer<typeof CronListInput>;

const cronListPrompt: ToolPrompt = {
  what: "Lists the scheduled prompts of this conversation and the durable ones of this project: id, times, next time, prompt.",
  when: "before you schedule or delete a prompt, or if the user asks what is scheduled.",
  whenNot: "to wait for a prompt: it comes by itself.",
  how: "it takes no arguments.",
  recover: ["an empty list means that nothing is scheduled.", naming`${"CronDelete"} ends one by its id.`],
  limits: "one line for each prompt, the next one first.",
};

export function cronListTool(service: TimerService): Tool<CronListInput, string, CallContext> {
  return {
    name: "CronList",
    description: cronListPrompt,
    inputSchema: CronListInput,
    permissionLevel: "read",
    title: () => "scheduled prompts",
    async call() {
      const { timers, notes } = await service.list();
      return [...timers.map(formatTimer), ...notes].join("\n") || "Nothing is scheduled.";
    },
    mapToolResultToToolResultBlockParam: (text) => text,
  };
}

const CronDeleteInput = z.strictObject({
  id: z
    .string()
    .check(z.minLength(1), z.describe("The id that CronCreate or ScheduleWakeup returned (required)")),
});
type CronDeleteInput = z.infer<typeof CronDeleteInput>;

const cronDeletePrompt: ToolPrompt = {
  what: "Ends a scheduled prompt, also a durable one and a wake-up.",
  when: "if its purpose is fulfilled, or the user no longer wants it.",
  whenNot: "for one that is sent once and has been sent: it has ended by itself.",
  how: "give its id.",
  recover: ["an unknown id is an error.", naming`${"CronList"} shows the ids.`],
  limits: "a prompt that was sent is not recalled.",
};

export function cronDeleteTool(service: TimerService): Tool<CronDeleteInput, string, CallContext> {
  return {
    name: "CronDelete",
    description: cronDeletePrompt,
    inputSchema: CronDeleteInput,
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

const WakeUpInput = z.strictObject({
  delaySeconds: z
    .number()
    .check(
      z.describe(
        "Seconds from now until the conversation is woken, from 60 to 3600; others are moved into this range (required)",
      ),
    ),
  reason: z
    .string()
    .check(z.minLength(1), z.describe("One short sentence for the user: why then (required)")),
  prompt: z
    .string()
    .check(
      z.minLength(1),
      z.describe(
        "What is sent then: the same /loop line as this time, or '<<autonomous-loop-dynamic>>' for a loop without a line of its own (required)",
      ),
    ),
});
type WakeUpInput = z.infer<typeof WakeUpInput>;

interface Output {
  readonly timer: TimerView;
  readonly replaced: boolean;
}

const wakeUpPrompt: ToolPrompt = {
  what: "Wakes this conversation once after a delay, with a prompt: the next round of a loop whose pace you choose.",
  when: "at the end of a round of /loop without an interval, if there is another round to do.",
  whenNot: [
    "to wait for a command or an agent of yours: their end wakes the conversation.",
    naming`For fixed times, use ${"CronCreate"}.`,
  ],
  how: "choose the delay by how fast the thing can change. Below 5 minutes the model's cache still holds the conversation; above it each round reads all of it again, so prefer 60 to 270 seconds for what changes fast and 1200 or more for what does not.",
  recover: "to end a loop, do not call this again.",
  limits: "one wake-up at a time: a new one replaces the old one. It ends with this session.",
};

export function scheduleWakeupTool(service: TimerService): Tool<WakeUpInput, Output, CallContext> {
  return {
    name: "ScheduleWakeup",
    description: wakeUpPrompt,
    inputSchema: WakeUpInput,
    permissionLevel: "read",
    parallel: false,
    repeatable: false,
    title: ({ delaySeconds, reason }) => `in ${delaySeconds} s: ${reason}`,
    async call(input) {
      return service.wakeUp(input);
    },
    mapToolResultToToolResultBlockParam: ({ timer: { id, next }, replaced }) =>
      `The conversation will be woken at ${formatTime(next)} (${id}).${replaced ? " This replaces the wake-up that was scheduled before." : ""} End your turn now.`,
  };
}
