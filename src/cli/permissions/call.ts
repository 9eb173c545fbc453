import { isObject } from "../../lib/objects.ts";
import { quoted, UsageError } from "../usage-error.ts";

/** A call to ask about. */
export interface AskedCall {
  readonly tool: string;
  /** As rules may name it: the tool's own name first. */
  readonly names: readonly [string, ...string[]];
  readonly input: Readonly<Record<string, unknown>>;
}

/** The field that is between the parentheses of `Tool(…)`. */
const FIELD: Readonly<Record<string, string>> = {
  Bash: "command",
  Read: "file_path",
  Edit: "file_path",
  Write: "file_path",
  NotebookEdit: "notebook_path",
  Glob: "pattern",
  Grep: "pattern",
  WebFetch: "url",
  WebSearch: "query",
  Agent: "subagent_type",
  Skill: "skill",
};

/** What such a field is, for an error. */
const MEANING: Readonly<Record<string, string>> = {
  Bash: "the command",
  Read: "the path",
  Edit: "the path",
  Write: "the path",
  NotebookEdit: "the path",
  Glob: "the pattern",
  Grep: "the pattern",
  WebFetch: "the address",
  WebSearch: "the query",
};

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
  const field = Object.hasOwn(FIELD, tool) ? FIELD[tool] : undefined;
  const text = inner?.trim() === "" ? undefined : inner;
  if (text === undefined) {
    const meaning = Object.hasOwn(MEANING, tool) ? MEANING[tool] : undefined;
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
  const field = Object.hasOwn(FIELD, tool) ? FIELD[tool] : undefined;
  const text = field === undefined ? undefined : input[field];
  const isPattern =
    typeof text === "string" &&
    ((tool === "Bash" && /:\*$/.test(text)) || (tool === "WebFetch" && /^domain:/.test(text)));
  return isPattern
    ? `${quoted(text)} looks like the pattern of a rule, but is read as a call, letter by letter as an agent would make it.`
    : null;
}
