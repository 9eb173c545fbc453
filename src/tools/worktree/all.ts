import { bindTool, type SealedTool } from "../bind-tool.ts";
import { enterWorktreeTool } from "./enter-worktree.ts";
import { exitWorktreeTool } from "./exit-worktree.ts";
import type { WorktreeService } from "./service.ts";

/** The tools by which the main conversation works in a worktree; they run where it is known who works where. */
export function worktreeTools(desk: WorktreeService): readonly SealedTool[] {
  return [bindTool(enterWorktreeTool(desk)), bindTool(exitWorktreeTool(desk))];
}
