import { type SealedTool, seal } from "../sealed.ts";
import type { WorktreeDesk } from "./desk.ts";
import { enterWorktreeTool } from "./enter-worktree.ts";
import { exitWorktreeTool } from "./exit-worktree.ts";

/** The tools by which the main conversation works in a worktree; they run where it is known who works where. */
export function worktreeTools(desk: WorktreeDesk): readonly SealedTool[] {
  return [seal(enterWorktreeTool(desk)), seal(exitWorktreeTool(desk))];
}
