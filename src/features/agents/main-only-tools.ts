/** Tools of the main conversation alone: only it enters and exits plan mode or a worktree, is woken by a timer, and runs scripts. */
export const MAIN_ONLY_TOOLS: readonly string[] = [
  "EnterPlanMode",
  "ExitPlanMode",
  "EnterWorktree",
  "ExitWorktree",
  "CronCreate",
  "CronList",
  "CronDelete",
  "ScheduleWakeup",
  "Workflow",
];
