import { tokensOfPrefix } from "../../context/compaction/tokens.ts";
import type { AgentTool } from "../../mailbox/messages.ts";
import { CALLER, SEARCH } from "../../tools/tool-search.ts";
import type { Toolbox } from "../../tools/toolbox.ts";

/** Which tools are deferred until models search for them. Uses no joint: specs ask for it. */
export interface DeferOptions {
  /** `auto`: those of servers and library users, if their schemas are too large; `on`: always (default `auto`). */
  readonly tools?: "auto" | "on" | "off";
  /** The largest share of the model's window for schemas, from 0 to 1 (default 0.1). */
  readonly above?: number;
  /** The most tokens of schemas in any window (default 20,000; none if `above` is given). */
  readonly aboveTokens?: number;
  /** Where their names are: attached to the first message (default), or in the system prompt. */
  readonly names?: "attached" | "inline";
}

const ABOVE = 0.1;
/** What a tenth of a window of 200,000 tokens is: every request pays for schemas, however large the window is. */
const ABOVE_TOKENS = 20_000;
/** Built-in tools that few conversations need. */
const SELDOM: readonly string[] =
  "NotebookEdit Monitor EnterWorktree ExitWorktree WebFetch WebSearch CronCreate CronList CronDelete".split(
    " ",
  );
/** Characters of names; above that servers are listed instead. */
const NAMES_CHARS = 12_000;

export interface DeferredTools {
  /** The loaded ones first, in an order that does not depend on what is deferred. */
  readonly tools: readonly AgentTool[];
  /** The text that names the deferred ones, or null if no tool is deferred. */
  readonly names: string | null;
}

/**
 * Splits an agent's tools into loaded and deferred ones: servers' are deferred first, then a library user's, never
 * core tools; always those whose schema would make the API reject every request. `awaits`: servers that are still
 * starting may bring more, to be found later.
 */
export function selectDeferredTools(
  tools: readonly AgentTool[],
  { tools: when = "auto", above, aboveTokens }: DeferOptions,
  { window, awaits }: { readonly window: number; readonly awaits: boolean },
  toolbox: Pick<Toolbox, "finders" | "originOf" | "isRefused">,
): DeferredTools {
  const unfit = tools.filter((tool) => toolbox.isRefused(tool));
  const fit = tools.filter((tool) => !unfit.includes(tool));
  const most = aboveTokens ?? (above === undefined ? ABOVE_TOKENS : window);
  const room = Math.min((above ?? ABOVE) * window, most);
  const later = new Set([...unfit, ...chosen(fit, when, room, toolbox)]);
  const finders = later.size > 0 || (awaits && when !== "off") ? toolbox.finders() : [];
  // A rule that forbids one of them blocks access to the deferred tools.
  if (finders.length < 2) return { tools: fit, names: null };
  const deferred = tools
    .filter((tool) => later.has(tool))
    .map((tool) => ({ ...tool, deferred: true as const }));
  return {
    tools: [...tools.filter((tool) => !later.has(tool)), ...finders, ...deferred],
    names: deferred.length === 0 ? null : namesOf(deferred),
  };
}

function chosen(
  tools: readonly AgentTool[],
  when: NonNullable<DeferOptions["tools"]>,
  room: number,
  toolbox: Pick<Toolbox, "originOf">,
): AgentTool[] {
  if (when === "off") return [];
  const of = (origin: ReturnType<Toolbox["originOf"]>) =>
    tools.filter(({ name }) => toolbox.originOf(name) === origin);
  const [servers, own] = [of("server"), of("library")];
  if (when === "on") return [...servers, ...own, ...tools.filter(({ name }) => SELDOM.includes(name))];
  if (tokensOfPrefix([], [...servers, ...own]) <= room) return [];
  return tokensOfPrefix([], own) <= room ? servers : [...servers, ...own];
}

function namesOf(deferred: readonly AgentTool[]): string {
  const names = deferred.map(({ name }) => name);
  const head = `Deferred tools\nThese tools are there too, but only named here. ${SEARCH} shows what they do and what they take ("select:NAME,NAME", or words); call them through ${CALLER}.`;
  const all = names.join("\n");
  return `${head}\n${all.length <= NAMES_CHARS ? all : byServer(names)}`;
}

/** Formats `mcp__server__*` with the number of tools. */
function byServer(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) {
    const group = /^(mcp__.+?__)/.exec(name)?.[1];
    const key = group === undefined ? name : `${group}*`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const lines = [...counts].map(([key, count]) =>
    count === 1 ? key : `${key} (${count} tools: search for them by words)`,
  );
  let room = NAMES_CHARS;
  const shown = lines.filter((line) => {
    room -= line.length + 1;
    return room >= 0;
  });
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join("\n");
}
