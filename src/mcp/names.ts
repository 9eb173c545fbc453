import { hash } from "node:crypto";

/** The limit of the Messages API. */
export const MAX_TOOL_NAME = 64;
const MAX_SLUG = 40;
const HASH = 6;

/**
 * Returns a server's name for the names of its tools: letters, digits, `_` and `-`. It has no `__` and no `_` at an end,
 * because rules find the server before the first `__`. A name without any of these characters becomes a hash.
 */
export function serverSlug(name: string): string {
  const safe = name
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/_{2,}/g, "_")
    .replace(/^_+|_+$/g, "");
  if (safe === "") return `server-${hashOf(name)}`;
  return safe.length <= MAX_SLUG ? safe : `${safe.slice(0, MAX_SLUG - HASH - 1)}-${hashOf(name)}`;
}

/** Returns `mcp__<server>__<tool>` (A17.2). It does not depend on the server's other tools. */
export function mcpToolName(slug: string, tool: string): string {
  const safe = tool.replace(/[^A-Za-z0-9_-]/g, "_");
  const prefix = `mcp__${slug}__`;
  const room = MAX_TOOL_NAME - prefix.length;
  if (safe === tool && tool !== "" && tool.length <= room) return `${prefix}${tool}`;
  // With a hash, because `a.b` and `a_b` may be two tools.
  return `${prefix}${safe.slice(0, room - HASH - 1)}_${hashOf(tool)}`;
}

/** A longer name is not practical to type. */
const MAX_PROMPT = 100;

/** Returns the slash commands of a server's prompts: `mcp__<server>__<prompt>`. Of equal ones the first keeps it. */
export function promptCommands(slug: string, prompts: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return prompts.map((prompt) => {
    const safe = prompt.replace(/[^\p{L}\p{N}_.-]+/gu, "_").slice(0, MAX_PROMPT);
    const name = safe === "" || taken.has(safe) ? `${safe}_${hashOf(prompt)}` : safe;
    taken.add(name);
    return `mcp__${slug}__${name}`;
  });
}

function hashOf(text: string): string {
  return hash("sha256", text).slice(0, HASH);
}
