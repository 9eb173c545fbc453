import { bindTool, type SealedTool } from "../bind-tool.ts";
import { monitorTool } from "./monitor.ts";
import type { BackgroundService } from "./service.ts";
import { taskOutputTool } from "./task-output.ts";
import { taskStopTool } from "./task-stop.ts";

/** The tools for what runs beside a conversation; they run where it is kept. */
export function backgroundTools(desk: BackgroundService): readonly SealedTool[] {
  return [bindTool(taskOutputTool(desk)), bindTool(taskStopTool(desk)), bindTool(monitorTool(desk))];
}
