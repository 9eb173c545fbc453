import type { PermissionMode } from "../../settings/rules.ts";

export const READERS: ReadonlySet<string> = new Set(["Read", "Glob", "Grep", "LSP"]);
export const EDITORS: ReadonlySet<string> = new Set(["Edit", "Write", "NotebookEdit", "MultiEdit"]);

/** What a call cannot do without, and what no rule may name as a condition of its own (§2). */
export const PRIMARY: Readonly<Record<string, string>> = {
  Bash: "command",
  Read: "file_path",
  Edit: "file_path",
  Write: "file_path",
  MultiEdit: "file_path",
  NotebookEdit: "notebook_path",
  Glob: "pattern",
  Grep: "pattern",
  LSP: "filePath",
  WebFetch: "url",
  WebSearch: "query",
};

/** Fields that have rules of their own, so that `Tool(field:…)` says nothing. */
export const OWN_FIELDS: ReadonlySet<string> = new Set([
  "command",
  "file_path",
  "filePath",
  "path",
  "notebook_path",
  "url",
]);

/** Tools that change nothing outside the session. */
const FREE =
  /^(?:Agent|TodoWrite|Task.*|Monitor|Skill|ToolSearch|SendMessage|ListAgents|AskUserQuestion|EnterPlanMode|Cron.*|ScheduleWakeup|ListMcpResources)$/;

/** §3 for the tools that are neither files nor Bash: whether the mode alone allows a call. */
export function allowedByMode(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  mode: PermissionMode,
): boolean {
  if (FREE.test(tool)) return true;
  if (tool === "EnterWorktree" || (tool === "ExitWorktree" && input["action"] === "keep"))
    return mode !== "plan";
  return false;
}
