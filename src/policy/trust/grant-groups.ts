import { allowedByMode, EDITORS, READERS } from "../engine/tool-table.ts";

/** What grants let a directory do, the most dangerous first, each as the rest of "if you trust it, they will …". */
export const grantGroups = {
  unchecked: "work without checks",
  runs: "run commands by themselves",
  servers: "start servers",
  commands: "let agents run commands without a question",
  variables: "set variables",
  network: "let agents reach the network without a question",
  edits: "let agents edit files, or work elsewhere, without a question",
  tools: "let agents use other tools without a question",
  reads: "let agents read what is outside of the directory",
  others: "choose models, names and other settings",
  /** It needs no agreement: everyone may do it in every mode that works. */
  free: "do what needs no question anyway",
} as const;

export type GrantGroup = keyof typeof grantGroups;

/** Returns the group of an allow rule of a project. */
export function ruleGroup(rule: string): GrantGroup {
  const [, tool = "", detail] = /^\s*([^(\s]*)\s*(?:\((.*)\))?\s*$/s.exec(rule) ?? [];
  if (tool === "*" || (tool === "Bash" && /^[\s:*]*$/.test(detail ?? ""))) return "unchecked";
  if (tool === "Bash") return "commands";
  if (EDITORS.has(tool)) return "edits";
  if (READERS.has(tool)) return detail !== undefined && isInside(detail) ? "free" : "reads";
  if (tool === "WebFetch" || tool === "WebSearch") return "network";
  return allowedByMode(tool, {}, "default") ? "free" : "tools";
}

/** Returns the group of a mode that a session or an agent starts in. */
export function modeGroup(mode: unknown): GrantGroup {
  if (mode === "bypassPermissions") return "unchecked";
  return mode === "acceptEdits" ? "edits" : "others";
}

/** In the rules of a project, one slash begins at the project. */
function isInside(pattern: string): boolean {
  return !/^\s*(?:\/\/|~|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)|[\\{$!]/.test(pattern);
}
