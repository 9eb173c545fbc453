import { bindTool, type SealedTool } from "../bind-tool.ts";
import { monitorTool } from "./monitor.ts";
import type { BackgroundService } from "./service.ts";
import { taskOutputTool } from "./task-output.ts";
import { taskStopTool } from "./task-stop.ts";

/** The tools for background tasks; they run on the session's side. */
export function backgroundTools(service: BackgroundService): readonly SealedTool[] {
  return [bindTool(taskOutputTool(service)), bindTool(taskStopTool(service)), bindTool(monitorTool(service))];
}
