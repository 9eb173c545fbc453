import { isObject, isTexts, type KeptIndex, keptIn } from "../../context/kept-index.ts";
import type { ReadAgent } from "./agent-file.ts";
import type { AgentDefinition } from "./definition.ts";
import type { AgentProblem } from "./problem.ts";

/** Raised when what is read of a file changes its meaning. */
const VERSION = 1;

export function agentIndex(home: string, cwd: string): KeptIndex<ReadAgent> {
  return { path: keptIn(home, "agents", cwd), version: VERSION, isKept };
}

function isKept(value: unknown): value is ReadAgent {
  if (!isObject(value)) return false;
  const { definition, line, problems } = value;
  return (
    (definition === null || isDefinition(definition)) &&
    (line === null || typeof line === "number") &&
    Array.isArray(problems) &&
    problems.every(isProblem)
  );
}

function isProblem(value: unknown): value is AgentProblem {
  if (!isObject(value)) return false;
  const { file, line, message } = value;
  return (
    (file === null || typeof file === "string") &&
    (line === null || typeof line === "number") &&
    typeof message === "string"
  );
}

const isText = (value: unknown) => typeof value === "string";
const isFlag = (value: unknown) => typeof value === "boolean";
const isOneOf =
  (...words: readonly unknown[]) =>
  (value: unknown) =>
    words.includes(value);

/** Of each key of a definition, what it may be; the compiler misses none. */
const CHECKS: Readonly<Record<keyof Required<AgentDefinition>, (value: unknown) => boolean>> = {
  name: isText,
  aliases: isTexts,
  whenToUse: isText,
  prompt: isText,
  memory: isFlag,
  tools: (value) => value === "all" || isTexts(value),
  disallowedTools: isTexts,
  model: isText,
  background: isFlag,
  isolation: isOneOf("worktree"),
  merge: isOneOf("apply", "commit", "keep", "ask"),
  budget: (value) => isObject(value) && Object.values(value).every((one) => typeof one === "number"),
  maxTurns: (value) => typeof value === "number",
  outputSchema: isObject,
  permissionMode: isOneOf("plan", "dontAsk", "default", "acceptEdits", "bypassPermissions"),
  mayStart: isTexts,
  skills: isTexts,
  mcpServers: (value) => isObject(value) && isTexts(value["named"]) && isObject(value["own"]),
  hooks: isObject,
  source: (value) => isObject(value) && isText(value["scope"]) && isText(value["file"]),
};
const NEEDED = ["name", "whenToUse", "prompt", "tools", "source"] as const;

function isDefinition(value: unknown): value is AgentDefinition {
  return (
    isObject(value) &&
    NEEDED.every((key) => Object.hasOwn(value, key)) &&
    Object.entries(CHECKS).every(([key, fits]) => value[key] === undefined || fits(value[key])) &&
    Object.keys(value).every((key) => Object.hasOwn(CHECKS, key))
  );
}
