import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import type { CallContext, Tool, ToolPrompt } from "../tool.ts";
import { formatTime, type TimerService, type TimerView } from "./service.ts";

const Input = z.strictObject({
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
type Input = z.infer<typeof Input>;

interface Output {
  readonly timer: TimerView;
  readonly replaced: boolean;
}

const prompt: ToolPrompt = {
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

export function scheduleWakeupTool(service: TimerService): Tool<Input, Output, CallContext> {
  return {
    name: "ScheduleWakeup",
    description: prompt,
    inputSchema: Input,
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
