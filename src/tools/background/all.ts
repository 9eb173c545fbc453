import { type SealedTool, seal } from "../sealed.ts";
import type { BackgroundDesk } from "./desk.ts";
import { monitorTool } from "./monitor.ts";
import { taskOutputTool } from "./task-output.ts";
import { taskStopTool } from "./task-stop.ts";

/** The tools for what runs beside a conversation; they run where it is kept. */
export function backgroundTools(desk: BackgroundDesk): readonly SealedTool[] {
  return [seal(taskOutputTool(desk)), seal(taskStopTool(desk)), seal(monitorTool(desk))];
}
