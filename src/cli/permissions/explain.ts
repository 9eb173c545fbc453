import { isObject } from "../../lib/json.ts";
import { type Hook, hookName } from "../../policy/hooks/parse-hooks.ts";
import { askEveryCommand, type Judgement } from "../../policy/judgement.ts";
import { sandboxDecision } from "../../policy/sandbox/sandbox-decision.ts";
import { withForeignGit } from "../../policy/trust/git-calls.ts";
import type { Behaviour } from "../../settings/permissions.ts";
import { quoted, UsageError } from "../exit-codes.ts";
import type { ActiveRules } from "./active-rules.ts";

/** What would happen to a call, and what else takes part. */
export interface Explanation extends Judgement {
  /** Sentences about the sandbox and hooks, if they take part. */
  readonly besides: readonly string[];
}

const STRICTNESS: Readonly<Record<Behaviour, number>> = { allow: 0, ask: 1, deny: 2 };

/** Decides as the gate of a session does, without hooks, sandbox and user: it only says what they may do. */
export function explain({ tool, names, input }: AskedCall, active: ActiveRules): Explanation {
  const { engine, mode, workspace, foreignGit, confines, asksEveryCommand } = active;
  const [cwd] = workspace;
  // Whether the confinement works shows when the first command runs; here it is assumed.
  const context = { enforced: confines };
  const [own, ...others] = names;
  const byRules = others
    .map((name) => engine.judge(mode, cwd, name, input, context))
    .filter(({ rule }) => rule !== undefined)
    .reduce(
      (one, other) => (STRICTNESS[other.decision] > STRICTNESS[one.decision] ? other : one),
      engine.judge(mode, cwd, own, input, context),
    );
  const alone = (command: string) => engine.judge(mode, cwd, "Bash", { command });
  const command = input["command"];
  const withGit =
    tool === "Bash" && typeof command === "string"
      ? withForeignGit(byRules, mode, command, alone, () => foreignGit(cwd))
      : byRules;
  const judgement = tool === "Bash" && asksEveryCommand ? askEveryCommand(withGit, mode) : withGit;
  const sandbox = tool === "Bash" ? sandboxSentence(judgement, input, active) : null;
  return {
    ...judgement,
    besides: [...(sandbox === null ? [] : [sandbox]), ...hookSentences({ names, input }, active)],
  };
}

function sandboxSentence(
  { decision, rule, grants }: Judgement,
  input: AskedCall["input"],
  { sandbox, engine, workspace: [cwd] }: ActiveRules,
): string | null {
  if (sandbox.mode === "off" || decision === "deny") return null;
  const readOnly = engine.judge("plan", cwd, "Bash", input).decision === "allow";
  // Whether the sandbox works shows when a session starts; here it is assumed.
  const decided = sandboxDecision(sandbox, { state: "enforced", reason: "" }, { input, readOnly });
  switch (decided.type) {
    case "allow":
      return decision === "ask" && rule === undefined && grants.length > 0
        ? "The sandbox makes the question unnecessary if it works (troupe.sandbox.autoAllow)."
        : "It runs in the sandbox, which changes nothing about the decision.";
    case "ask":
    case "refuse":
      return `The sandbox: ${decided.reason}`;
    case "silent":
      return sandbox.mode === "required"
        ? "It runs in the sandbox (troupe.sandbox.mode is required); without one it does not run."
        : "It runs in the sandbox if there is one; without one, what does more than read is a question.";
    default:
      return decided satisfies never;
  }
}

function hookSentences(
  { names, input }: Pick<AskedCall, "names" | "input">,
  { hooks, workspace: [cwd] }: ActiveRules,
): string[] {
  const fits = ({ matches, condition }: Hook) =>
    names.some(matches) && (condition?.({ names, input, cwd, root: cwd }) ?? true);
  return hooks
    .filter(fits)
    .map(
      (hook) => `${hookName(hook)} runs first: it may refuse the call, rewrite it, or answer the question.`,
    );
}

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
