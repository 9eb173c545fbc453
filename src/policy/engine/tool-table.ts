import { textAt } from "../../lib/json.ts";
import type { PermissionMode } from "../../settings/permissions.ts";

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
export const OWN_FIELDS: ReadonlySet<string> = new Set(
  "command file_path filePath path notebook_path url".split(" "),
);

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

export type Input = Readonly<Record<string, unknown>>;

/** Returns the input as an object, or what is wrong with it (§1, step 1). */
export function readInput(tool: string, input: unknown): Input | { readonly malformed: string } {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return { malformed: "its input is not an object" };
  const bad = badText(input, 0);
  if (bad !== null) return { malformed: bad };
  const found = input as Input;
  const primary = Object.hasOwn(PRIMARY, tool) ? PRIMARY[tool] : undefined;
  if (primary !== undefined && typeof own(found, primary) !== "string")
    return { malformed: `${primary} is missing or not a text` };
  for (const field of ["path", "glob"]) {
    const value = own(found, field);
    if ((tool === "Glob" || tool === "Grep") && value !== undefined && typeof value !== "string") {
      return { malformed: `${field} is not a text` };
    }
  }
  return found;
}

export function textField(input: Input, field: string): string | null {
  const value = own(input, field);
  return typeof value === "string" ? value : null;
}

function own(input: Input, field: string): unknown {
  return Object.hasOwn(input, field) ? input[field] : undefined;
}

/** Deeper than any tool's input. */
const MAX_DEPTH = 64;

function badText(value: unknown, depth: number): string | null {
  if (typeof value === "string") {
    if (value.includes("\0")) return "its input contains a NUL";
    return value.isWellFormed() ? null : "its input contains half a character";
  }
  if (typeof value !== "object" || value === null) return null;
  if (depth > MAX_DEPTH) return "its input is nested too deeply";
  for (const [name, inner] of Object.entries(value)) {
    const bad = badText(name, depth + 1) ?? badText(inner, depth + 1);
    if (bad !== null) return bad;
  }
  return null;
}

/**
 * Returns the command, path or URL itself, as the model wrote it, which a title may not be; null for tools that have
 * none.
 */
export function findSubject(tool: string, input: unknown): string | null {
  const field = Object.hasOwn(PRIMARY, tool) ? PRIMARY[tool] : undefined;
  return field !== undefined && OWN_FIELDS.has(field) ? textAt(input, field) : null;
}
