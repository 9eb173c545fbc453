import { bindTool, type SealedTool } from "../bind-tool.ts";
import { cronCreateTool } from "./cron-create.ts";
import { cronDeleteTool } from "./cron-delete.ts";
import { cronListTool } from "./cron-list.ts";
import type { TimerService } from "./desk.ts";
import { scheduleWakeupTool } from "./schedule-wakeup.ts";

/** The tools for scheduled prompts; they run where these are kept. */
export function timerTools(service: TimerService): readonly SealedTool[] {
  return [
    bindTool(cronCreateTool(service)),
    bindTool(cronListTool(service)),
    bindTool(cronDeleteTool(service)),
    bindTool(scheduleWakeupTool(service)),
  ];
}
