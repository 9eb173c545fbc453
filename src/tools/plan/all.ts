import { type SealedTool, seal } from "../sealed.ts";
import type { PlanDesk } from "./desk.ts";
import { enterPlanModeTool } from "./enter-plan-mode.ts";
import { exitPlanModeTool } from "./exit-plan-mode.ts";

/** The tools of plan mode; they run where the session's mode is kept. */
export function planTools(desk: PlanDesk): readonly SealedTool[] {
  return [seal(enterPlanModeTool(desk)), seal(exitPlanModeTool(desk))];
}
