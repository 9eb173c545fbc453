/** Tools of the main conversation alone: only it enters and exits plan mode or a worktree, and is woken by a timer. */
export const MAIN_ONLY_TOOLS: readonly string[] = [
  "EnterPlanMode",
  "ExitPlanMode",
  "EnterWorktree",
  "ExitWorktree",
  "CronCreate",
  "CronList",
  "CronDelete",
  "ScheduleWakeup",
];
