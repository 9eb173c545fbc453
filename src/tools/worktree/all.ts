import { bindTool, type SealedTool } from "../bind-tool.ts";
import { enterWorktreeTool } from "./enter-worktree.ts";
import { exitWorktreeTool } from "./exit-worktree.ts";
import type { WorktreeService } from "./service.ts";

/** The tools by which the main conversation works in a worktree; they run on the session's side. */
export function worktreeTools(service: WorktreeService): readonly SealedTool[] {
  return [bindTool(enterWorktreeTool(service)), bindTool(exitWorktreeTool(service))];
}
