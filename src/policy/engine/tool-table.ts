import type { PermissionMode } from "../../settings/rules.ts";

export const READERS: ReadonlySet<string> = new Set(["Read", "Glob", "Grep", "LSP"]);
export const EDITORS: ReadonlySet<string> = new Set(["Edit", "Write", "NotebookEdit", "MultiEdit"]);

/** The required field of each tool, which no rule may use as its own condition (§2). */
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

/** Fields with rules of their own, so `Tool(field:…)` is invalid. */
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

/** Returns whether the mode alone allows a call of a tool other than files and Bash (§3). */
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
