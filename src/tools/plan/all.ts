import { bindTool, type SealedTool } from "../bind-tool.ts";
import { enterPlanModeTool } from "./enter-plan-mode.ts";
import { exitPlanModeTool } from "./exit-plan-mode.ts";
import type { PlanService } from "./service.ts";

/** The tools of plan mode; they run where the session's mode is kept. */
export function planTools(desk: PlanService): readonly SealedTool[] {
  return [bindTool(enterPlanModeTool(desk)), bindTool(exitPlanModeTool(desk))];
}
