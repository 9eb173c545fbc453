import type { AgentView } from "../events/event.ts";
import { shellWord } from "../lib/text.ts";
import { MAIN, type SessionId } from "../mailbox/ids.ts";
import type { SupervisorHandle } from "../session/supervisor-handle.ts";
import { counted } from "../terminal/figures.ts";
import { safeLine } from "../terminal/safe-text.ts";
import { agentName, doing } from "./agent-text.ts";

/** Returns the agents that have not ended. */
export function unfinishedAgents(views: readonly AgentView[]): AgentView[] {
  return views.filter(({ id, state }) => id !== MAIN && state !== "ended" && state !== "cancelling");
}

/** "the main conversation and 3 agents were", or null without any. */
export function unfinishedText({ main, agents }: ReturnType<SupervisorHandle["unfinished"]>): string | null {
  const { length } = agents;
  const parts = [
    ...(main ? ["the main conversation"] : []),
    ...(length > 0 ? [counted(length, "agent")] : []),
  ];
  if (parts.length === 0) return null;
  return `${parts.join(" and ")} ${Number(main) + length === 1 ? "was" : "were"}`;
}

/** Names up to `most` agents with what each was doing. */
export function agentsText(views: readonly AgentView[], now: number, most = 8): string {
  const named = views.slice(0, most).map((view) => `${agentName(view)} (${doing(view, now) || view.state})`);
  const rest = views.length - named.length;
  return [...named, ...(rest > 0 ? [`and ${rest} more`] : [])].join(", ");
}

/** What the command that resumes a session is made of, other than its ID and directory. */
export interface ResumeWith {
  /** The program (default `troupe`). */
  readonly command?: string | undefined;
  /** The engine of its runners, if it must be named again; without its password. */
  readonly engine?: string | undefined;
}

/** Returns the command that resumes a session; `cwd` is the directory it is about, `here` the one that the command is typed in. */
export function resumeCommand(
  session: SessionId | string,
  cwd: string,
  here: string,
  { command = "troupe", engine }: ResumeWith = {},
): string {
  const at = cwd === here ? "" : ` --cwd ${shellWord(safeLine(cwd))}`;
  const on = engine === undefined ? "" : ` --engine ${engineWord(safeLine(engine))}`;
  return `${command} --resume ${session}${at}${on}`;
}

/** Most addresses mean nothing to a shell; quotes would only make them harder to read. */
function engineWord(url: string): string {
  return /^[\w:/.@%+-]+$/.test(url) ? url : shellWord(url);
}

/** Tells the user how to resume a session. */
export function resumeHint(session: SessionId, cwd = "", here = cwd, by: ResumeWith = {}): string {
  return `${resumeCommand(session, cwd, here, by)} resumes it.`;
}
