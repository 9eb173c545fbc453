import { createHash } from "node:crypto";

/** The Messages API takes no longer ones. */
export const MAX_TOOL_NAME = 64;
const MAX_SLUG = 40;
const HASH = 6;

/**
 * A server's name as it may stand in a tool's: letters, digits, `_` and `-`. Never `__` and no `_` at an end, because
 * rules find the server before the first `__`. A name that holds nothing of that is told apart by its hash.
 */
export function serverSlug(name: string): string {
  const safe = name
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/_{2,}/g, "_")
    .replace(/^_+|_+$/g, "");
  if (safe === "") return `server-${hashOf(name)}`;
  return safe.length <= MAX_SLUG ? safe : `${safe.slice(0, MAX_SLUG - HASH - 1)}-${hashOf(name)}`;
}

/** `mcp__<server>__<tool>` (A17.2), for every tool of one server; the same name whatever the others are called. */
export function mcpToolName(slug: string, tool: string): string {
  const safe = tool.replace(/[^A-Za-z0-9_-]/g, "_");
  const prefix = `mcp__${slug}__`;
  const room = MAX_TOOL_NAME - prefix.length;
  // Told apart by its hash where letters were replaced: `a.b` and `a_b` may be two tools.
  if (safe === tool && tool !== "" && tool.length <= room) return `${prefix}${tool}`;
  return `${prefix}${safe.slice(0, room - HASH - 1)}_${hashOf(tool)}`;
}

/** Longer ones nobody types. */
const MAX_PROMPT = 100;

/**
 * What a person types for each prompt of one server, behind the slash: `mcp__<server>__<prompt>`, with `_` for what
 * cannot be typed there. Of two that come to the same the first keeps it.
 */
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
  return createHash("sha256").update(text).digest("hex").slice(0, HASH);
}
