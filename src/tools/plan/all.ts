import { bindTool, type SealedTool } from "../bind-tool.ts";
import { enterPlanModeTool } from "./enter-plan-mode.ts";
import { exitPlanModeTool } from "./exit-plan-mode.ts";
import type { PlanService } from "./service.ts";

/** The tools of plan mode; they run on the session's side. */
export function planTools(service: PlanService): readonly SealedTool[] {
  return [bindTool(enterPlanModeTool(service)), bindTool(exitPlanModeTool(service))];
}
