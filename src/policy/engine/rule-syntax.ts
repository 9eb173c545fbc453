import type { Behaviour, Rule } from "../../settings/permissions.ts";

/** A parsed rule (semantics §2). */
export type ParsedRule =
  | { readonly type: "tool"; readonly tool: string }
  /** A name with `*` in it. */
  | { readonly type: "glob"; readonly pattern: RegExp }
  | { readonly type: "spec"; readonly tool: string; readonly spec: string }
  | { readonly type: "broken"; readonly problem: string };

const NAME = /^[A-Za-z_][\w.-]*$/;
const GLOB = /^[\w.*-]+$/;
/** A glob is valid in an allow rule only after one server's full name. */
const SERVER_GLOB = /^mcp__[^*]+?__[\w.*-]+$/;
const BUILT_IN = [
  "Agent AskUserQuestion Bash Edit EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep ListAgents",
  "LSP ListMcpResources Monitor MultiEdit NotebookEdit Read ReadMcpResource ScheduleWakeup SendMessage Skill Task",
  "TaskOutput TaskStop TodoWrite ToolSearch WebFetch WebSearch Workflow Write",
].flatMap((line) => line.split(" "));

export function parseRule({ text, behaviour }: Pick<Rule, "text" | "behaviour">): ParsedRule {
  const trimmed = behaviour === "allow" ? text : text.trim();
  const open = trimmed.indexOf("(");
  if (open < 0)
    return trimmed.includes(")")
      ? broken("has a parenthesis without its other half")
      : nameRule(trimmed, behaviour);
  const tool = trimmed.slice(0, open);
  const inner = trimmed.slice(open + 1, -1);
  if (!trimmed.endsWith(")") || !isBalanced(inner)) return broken("has a parenthesis without its other half");
  if (inner.trim() === "") return broken("has nothing between its parentheses");
  if (inner === "*") return nameRule(tool, behaviour);
  if (tool.includes("*"))
    return broken("has a wildcard in the tool's name and a condition, which do not go together");
  const named = nameRule(tool, behaviour);
  if (named.type !== "tool") return named;
  return { type: "spec", tool, spec: inner };
}

function nameRule(name: string, behaviour: Behaviour): ParsedRule {
  if (name.includes("*")) {
    if (!GLOB.test(name)) return broken("is no tool's name");
    if (behaviour === "allow" && !SERVER_GLOB.test(name)) {
      return broken("allows by a wildcard, which is only understood after mcp__<server>__");
    }
    return { type: "glob", pattern: wildcard(name) };
  }
  if (!NAME.test(name)) return broken("is no tool's name");
  if (/^mcp__/.test(name) && !/^mcp__[^_].*$/.test(name)) return broken("names no MCP server");
  return { type: "tool", tool: name };
}

/** Compiles a text in which `*` matches anything. */
export function wildcard(pattern: string, flags = "s"): RegExp {
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, flags);
}

/** Returns what is wrong with the case of a name, a mistake that is easy to miss. */
export function caseProblem(tool: string): string | null {
  const known = BUILT_IN.find((name) => name.toLowerCase() === tool.toLowerCase());
  return known === undefined || known === tool ? null : `names ${tool}, and the tool is called ${known}`;
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const [sign] of text.matchAll(/\\.|[()]/gs)) {
    if (sign === "(") depth += 1;
    if (sign === ")") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function broken(problem: string): ParsedRule {
  return { type: "broken", problem };
}

/** Whether a deny rule forbids all of a tool, so that it need not even be offered. */
export function isToolDenied(rules: readonly Rule[], names: readonly string[]): boolean {
  return rules.some(({ behaviour, text }) => {
    if (behaviour !== "deny") return false;
    const said = text.trim().replace(/\(\*\)$/, "");
    return names.some((name) => matchesToolName(said, name));
  });
}

/** A tool's name, all tools of an MCP server (`mcp__server`), or a name with wildcards (semantics §2, §8). */
export function matchesToolName(said: string, name: string): boolean {
  if (said === name) return true;
  if (said.includes("*")) return /^[\w.*-]+$/.test(said) && wildcard(said).test(name);
  return said.startsWith("mcp__") && !said.slice(5).includes("__") && name.startsWith(`${said}__`);
}
