import { listSome } from "../../lib/text.ts";
import type { AgentTool } from "../../mailbox/messages.ts";
import { escapeNotice, type Notice } from "../../supervisor/notices.ts";
import { CALLER, SEARCH } from "../../tools/tool-search.ts";

export type ServerNotice = Notice & { readonly tools: readonly AgentTool[] };

export interface ServerNews {
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
  readonly changed?: readonly string[];
  /** Changed, and accepted by the user. */
  readonly accepted?: readonly string[];
}

export interface Listener {
  readonly own: ReadonlySet<string>;
  /** Tools it was started without and can find from now on. */
  readonly late: readonly AgentTool[];
  /** True for the main conversation: it also hears of tools that others can call. */
  readonly leads: boolean;
}

const MOST_NAMES = 50;
const FOUND = `${SEARCH} shows what they do and what they take; call them through ${CALLER}.`;

const GO_ON = "Continue without what is missing, and say so in your report where it matters.";
const TITLE = "what it does not get";

/** Builds the notice that a server's tools came, went or changed, or null if that does not concern the conversation. */
export function serverNotice(
  server: string,
  { added = [], removed = [], changed = [], accepted = [] }: ServerNews,
  { own, late, leads }: Listener,
): ServerNotice | null {
  const concerns = (name: string) => leads || own.has(name);
  const tools = late.filter(({ name }) => added.includes(name));
  const found = namesOf(tools);
  const others = added.filter((name) => leads && !own.has(name) && !found.includes(name));
  const back = added.filter((name) => own.has(name));
  const lost = removed.filter((name) => own.has(name));
  const other = changed.filter(concerns);
  const agreed = accepted.filter(concerns);
  const sentences = [
    found.length > 0 &&
      `It has tools now that were not there before: ${listSome(found, MOST_NAMES)}. ${FOUND}`,
    others.length > 0 &&
      `It has tools now that were not there before: ${listSome(others, MOST_NAMES)}. Your own list of tools does not change; agents that you start from now on are offered them, where their type has all tools.`,
    back.length > 0 && `These can be called again: ${listSome(back, MOST_NAMES)}.`,
    lost.length > 0 && `These are gone and cannot be called: ${listSome(lost, MOST_NAMES)}.`,
    other.length > 0 &&
      `These have changed and are refused until the user accepts that: ${listSome(other, MOST_NAMES)}.`,
    agreed.length > 0 &&
      `The user has accepted that these have changed, so you can call them; their input may differ from what you know: ${listSome(agreed, MOST_NAMES)}.`,
  ].filter((sentence) => sentence !== false);
  if (sentences.length === 0) return null;
  const title = `the tools of the MCP server ${server}`;
  return quietNotice(title, `About the MCP server ${server}. ${sentences.join(" ")}`, tools);
}

export function missingNotice(reason: string): ServerNotice {
  return quietNotice(TITLE, `${reason} ${GO_ON}`);
}

/** Builds the notice before the first turn. `starting`: names of the session's servers that still start. */
export function firstNotice(
  missing: readonly string[],
  late: readonly AgentTool[],
  starting: readonly string[] = [],
): ServerNotice | null {
  const sentences = [
    ...missing,
    missing.length > 0 && GO_ON,
    late.length > 0 &&
      `These tools of MCP servers are there as well: ${listSome(namesOf(late), MOST_NAMES)}. ${FOUND}`,
    starting.length > 0 &&
      `These MCP servers are still starting, so their tools are not available yet: ${listSome(starting, MOST_NAMES)}. You are notified when they are ready.`,
  ].filter((sentence) => sentence !== false);
  if (sentences.length === 0) return null;
  return quietNotice(TITLE, sentences.join(" "), late);
}

/** Builds a notice that does not wake the conversation. */
function quietNotice(title: string, text: string, tools: readonly AgentTool[] = []): ServerNotice {
  return { title, text: escapeNotice(text), tools, isQuiet: true };
}

function namesOf(tools: readonly AgentTool[]): string[] {
  return tools.map(({ name }) => name);
}
