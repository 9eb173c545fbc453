import { isObject } from "../../lib/objects.ts";
import { quoted, UsageError } from "../usage-error.ts";

/** A call to ask about. */
export interface AskedCall {
  readonly tool: string;
  /** As rules may name it: the tool's own name first. */
  readonly names: readonly [string, ...string[]];
  readonly input: Readonly<Record<string, unknown>>;
}

/** The field between the parentheses of `Tool(…)`; if it must be there, what it is. */
const FIELDS: ReadonlyMap<string, { readonly field: string; readonly meaning?: string }> = new Map([
  ["Bash", { field: "command", meaning: "the command" }],
  ["Read", { field: "file_path", meaning: "the path" }],
  ["Edit", { field: "file_path", meaning: "the path" }],
  ["Write", { field: "file_path", meaning: "the path" }],
  ["NotebookEdit", { field: "notebook_path", meaning: "the path" }],
  ["Glob", { field: "pattern", meaning: "the pattern" }],
  ["Grep", { field: "pattern", meaning: "the pattern" }],
  ["WebFetch", { field: "url", meaning: "the address" }],
  ["WebSearch", { field: "query", meaning: "the query" }],
  ["Agent", { field: "subagent_type" }],
  ["Skill", { field: "skill" }],
]);

/** Parses `Bash(git push)`, `Read(src/a.ts)` or `mcp__db__query`, or a tool's name with its whole input as JSON. */
export function parseCall(words: string, json: string | undefined): AskedCall {
  const [, given = "", , inner] = /^\s*([A-Za-z_][\w.-]*)(\(([\s\S]*)\))?\s*$/.exec(words) ?? [];
  if (given === "")
    throw new UsageError(
      `${quoted(words)} is not a call; write it as a tool and its input, such as 'Bash(git push)' or 'Edit(src/a.ts)'.`,
    );
  const tool = given === "Task" ? "Agent" : given;
  const names: AskedCall["names"] = tool === "Agent" ? ["Agent", "Task"] : [tool];
  if (json !== undefined) {
    if (inner !== undefined)
      throw new UsageError(`The input of ${tool} is given twice; write ${tool} --input '{…}' alone.`);
    return { tool, names, input: inputFrom(json) };
  }
  const { field, meaning } = FIELDS.get(tool) ?? {};
  const text = inner?.trim() === "" ? undefined : inner;
  if (text === undefined) {
    if (meaning === undefined) return { tool, names, input: {} };
    throw new UsageError(`${tool} needs ${meaning}; write it as '${tool}(…)'.`);
  }
  if (field === undefined)
    throw new UsageError(`Give the input of ${tool} as JSON: ${tool} --input '{"name": "value"}'.`);
  return { tool, names, input: { [field]: text } };
}

function inputFrom(json: string): AskedCall["input"] {
  let input: unknown;
  try {
    input = JSON.parse(json);
  } catch {
    throw new UsageError(`--input is not valid JSON: ${quoted(json)}. Example: '{"file_path": "src/a.ts"}'.`);
  }
  if (isObject(input)) return input;
  throw new UsageError(`--input must be a JSON object, such as '{"file_path": "src/a.ts"}'.`);
}

/** Returns a note if the input looks like a rule's pattern instead of a call, or null. */
export function patternNote({ tool, input }: AskedCall): string | null {
  const field = FIELDS.get(tool)?.field;
  const text = field === undefined ? undefined : input[field];
  const isPattern =
    typeof text === "string" &&
    ((tool === "Bash" && /:\*$/.test(text)) || (tool === "WebFetch" && /^domain:/.test(text)));
  return isPattern
    ? `${quoted(text)} looks like the pattern of a rule, but is read as a call, letter by letter as an agent would make it.`
    : null;
}
