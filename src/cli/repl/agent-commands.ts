import type { AgentView } from "../../events/event.ts";
import { totalTokens } from "../../mailbox/conversation.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import { counted, shortCount } from "../../terminal/figures.ts";
import { agentName, formatDoingAndOverlap, stateMark } from "../agent-text.ts";
import { quoted } from "../exit-codes.ts";
import { unfinishedText } from "../unfinished.ts";
import type { SlashContext } from "./slash-context.ts";

const STOPPED = "The user stopped it.";
/** The shortest ID to show, in characters. */
const SHORTEST_ID = 4;

/** `/agents` */
export function formatAgentList({ session, paint, now }: SlashContext): string {
  const views = session.tree();
  if (views.length === 0) return "No agent was started yet.";
  const ids = views.map(({ id }) => id);
  return views
    .map((view) => {
      const lead = "  ".repeat(view.depth);
      const figures = `${counted(view.turns, "turn")} · ${shortCount(totalTokens(view.usage))} tokens`;
      const beside = view.background && view.state !== "ended" ? "in the background · " : "";
      const state = `${beside}${formatDoingAndOverlap(view, now()) || view.state}`;
      const id = paint("bold", shortId(view.id, ids));
      return `${lead}${stateMark(view, paint)} ${id}  ${agentName(view)}  ${paint("dim", `${state} · ${figures}`)}`;
    })
    .join("\n");
}

/** `/stop [ID|all]` */
export function stopAgents(argument: string, { session }: SlashContext): string {
  const views = session.tree();
  if (argument === "" || argument === "all" || argument === MAIN) return stopAll(views, session);
  const found = agentOf(argument, views);
  if (typeof found === "string") return found;
  if (found.state === "ended") return `${agentName(found)} has ended already.`;
  const below = views.filter(({ id, state }) => state !== "ended" && isBelow(id, found.id, views)).length;
  session.cancel(found.id, STOPPED);
  const also = below > 0 ? ` and ${counted(below, "agent")} below it` : "";
  return `Stopping ${agentName(found)}${also}; ${howToResume(found.id, views)}`;
}

function stopAll(views: readonly AgentView[], session: SlashContext["session"]): string {
  const open = views.filter(({ state }) => state !== "ended");
  // Also for an ended agent: its background commands end with it.
  for (const { id } of open.length > 0 ? open : views.filter(({ id }) => id === MAIN))
    session.cancel(id, STOPPED);
  const main = open.some(({ id }) => id === MAIN);
  const agents = open.filter(({ id }) => id !== MAIN);
  const [first] = agents;
  const who = unfinishedText({ main, agents });
  if (who === null) return "No agent is at work.";
  const again = first === undefined ? "" : ` /agents lists them; ${howToResume(first.id, views)}`;
  return `${who.charAt(0).toUpperCase()}${who.slice(1)} told to stop.${again}`;
}

/** `/resume ID TEXT` */
export function resumeAgent(argument: string, { session, goOnWith }: SlashContext): string | null {
  const [, word = "", text = ""] = /^(\S+)\s*([\s\S]*)$/.exec(argument) ?? [];
  if (word === "" || text === "")
    return "Say which agent and what it should do: /resume ID TEXT; /agents lists them.";
  if (word === MAIN) return "Just type: the main conversation hears what has no slash in front.";
  const found = agentOf(word, session.tree());
  if (typeof found === "string") return found;
  const works = found.state !== "ended";
  goOnWith(found, text);
  return works ? `${agentName(found)} is at work, and hears it at its next turn.` : null;
}

/** Returns the agent with this ID or prefix; a sentence if no agent or several match. */
function agentOf(word: string, views: readonly AgentView[]): AgentView | string {
  return findById(word, "agent", new Map(views.map((view) => [view.id, view])));
}

/** Returns what has this ID or the beginning of it; a sentence if there is not exactly one. `what`: as its command calls it. */
export function findById<T>(word: string, what: "agent" | "task", all: ReadonlyMap<string, T>): T | string {
  const exact = all.get(word);
  if (exact !== undefined) return exact;
  const [first, ...others] = [...all].filter(([id]) => id.startsWith(word));
  if (first === undefined) return `There is no ${what} ${quoted(word)}; /${what}s lists them with their ids.`;
  return others.length === 0
    ? first[1]
    : `${quoted(word)} begins the ids of ${others.length + 1} ${what}s; give more of it.`;
}

function howToResume(id: ActorId, views: readonly AgentView[]): string {
  return `/resume ${shortId(
    id,
    views.map((view) => view.id),
  )} TEXT resumes it.`;
}

/** Returns the shortest unique prefix of the ID. */
function shortId(id: ActorId, all: readonly ActorId[]): string {
  for (let length = SHORTEST_ID; length < id.length; length++) {
    const start = id.slice(0, length);
    if (all.every((other) => other === id || !other.startsWith(start))) return start;
  }
  return id;
}

/** A damaged journal may name parents in a circle; no agent is deeper than there are agents. */
function isBelow(id: ActorId, top: ActorId, views: readonly AgentView[]): boolean {
  let at: ActorId | null = id;
  for (let steps = 0; at !== null && steps <= views.length; steps++) {
    const parent: ActorId | null = views.find((view) => view.id === at)?.parent ?? null;
    if (parent === top) return true;
    at = parent;
  }
  return false;
}
