import type { ServerNotice } from "../notices.ts";

/** Names as in `mcp__server__tool`. */
export interface ServerNews {
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
  readonly changed?: readonly string[];
  /** Changed, and the person has agreed to it. */
  readonly accepted?: readonly string[];
}

/** A server can have any number of tools. */
const MOST_NAMES = 50;

/** What a conversation is told of a server's tools that came, went or changed; `own`: what it can call. Null: nothing. */
export function serverNotice(
  server: string,
  { added = [], removed = [], changed = [], accepted = [] }: ServerNews,
  own: ReadonlySet<string>,
): ServerNotice | null {
  const fresh = added.filter((name) => !own.has(name));
  const back = added.filter((name) => own.has(name));
  const lost = removed.filter((name) => own.has(name));
  const sentences = [
    fresh.length > 0 &&
      `It has tools now that were not there before: ${listed(fresh)}. Your own list of tools does not change; agents that you start from now on are offered them, where their type has all tools.`,
    back.length > 0 && `These can be called again: ${listed(back)}.`,
    lost.length > 0 && `These are gone and cannot be called: ${listed(lost)}.`,
    changed.length > 0 &&
      `These have changed and are refused until the person has accepted that: ${listed(changed)}.`,
    accepted.length > 0 &&
      `The person has accepted that these have changed, so they can be called; what they take may differ from what you were told: ${listed(accepted)}.`,
  ].filter((sentence) => sentence !== false);
  if (sentences.length === 0) return null;
  const title = `the tools of the MCP server ${server}`;
  return { type: "server", server, title, text: `About the MCP server ${server}. ${sentences.join(" ")}` };
}

function listed(names: readonly string[]): string {
  const left = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}
