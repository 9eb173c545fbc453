import type { ToolName } from "./offered-tools.ts";
import type { Outcome } from "./plan.ts";

/** What became of one instruction, in words for a person. */
export interface Done {
  readonly ok: boolean;
  readonly text: string;
}

export function done(text: string): Done {
  return { ok: true, text };
}

export function undone(text: string): Done {
  return { ok: false, text };
}

const WORK: Readonly<Record<ToolName, string>> = {
  Agent: "start agents",
  Bash: "run commands",
  Edit: "edit files",
  Glob: "look for files by name",
  Grep: "search in files",
  Read: "read files",
  Write: "write files",
};

/** The sentence for a tool that this conversation was not given. */
export function missing(tool: ToolName): Done {
  return undone(`I cannot ${WORK[tool]} here: the ${tool} tool is not offered.`);
}

/** Why a call brought nothing, or undefined where it brought a result. */
export function failureOf(outcome: Outcome | undefined): string | undefined {
  if (outcome === undefined || outcome.type === "not-asked") return "no more calls may be made in this turn";
  return outcome.type === "error" ? shortened(outcome.text) : undefined;
}

const MOST_LINES = 20;

/** The beginning and the end of a long text, with the number of lines between them. */
export function shortened(text: string): string {
  const lines = text.trimEnd().split("\n");
  if (lines.length <= MOST_LINES) return lines.join("\n");
  const half = MOST_LINES / 2;
  const between = `(${lines.length - MOST_LINES} lines left out)`;
  return [...lines.slice(0, half), between, ...lines.slice(-half)].join("\n");
}
