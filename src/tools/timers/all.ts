import { type SealedTool, seal } from "../sealed.ts";
import { cronCreateTool } from "./cron-create.ts";
import { cronDeleteTool } from "./cron-delete.ts";
import { cronListTool } from "./cron-list.ts";
import type { TimerDesk } from "./desk.ts";
import { scheduleWakeupTool } from "./schedule-wakeup.ts";

/** The tools for scheduled prompts; they run where these are kept. */
export function timerTools(desk: TimerDesk): readonly SealedTool[] {
  return [
    seal(cronCreateTool(desk)),
    seal(cronListTool(desk)),
    seal(cronDeleteTool(desk)),
    seal(scheduleWakeupTool(desk)),
  ];
}
