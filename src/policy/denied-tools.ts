import type { Rule } from "../settings/rules.ts";
import { wildcard } from "./engine/rule-syntax.ts";

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
