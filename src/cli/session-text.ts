import { worktreeLine } from "../features/isolation/worktree-words.ts";
import type { SessionEntry } from "../journal/sessions.ts";
import { totalTokens } from "../mailbox/conversation.ts";
import type { Status } from "../mailbox/messages.ts";
import { agentName, statusMark, statusText } from "./agent-text.ts";
import type { Paint } from "./colour.ts";
import { padToWidth } from "./display-width.ts";
import { counted, shortCount, shortDate, shortTime } from "./figures.ts";
import { safeLine, safeText } from "./safe-text.ts";
import type { AgentStory, Exchange, SessionStory } from "./session-history.ts";

/** One line per session, newest first. */
export function sessionListText(
  sessions: readonly SessionEntry[],
  withFolder: boolean,
  paint: Paint,
): string {
  return sessions
    .map((session) => {
      const agents = session.agents === null ? "" : counted(session.agents, "agent");
      const parts = [
        paint("bold", session.id),
        shortDate(session.startedAt),
        padToWidth(session.status === null ? "open" : statusText(session.status), 13),
        padToWidth(agents, 10),
        safeLine(session.title) || "conversation",
        ...(withFolder ? [paint("dim", safeLine(session.cwd))] : []),
      ];
      return `${parts.join("  ").trimEnd()}\n`;
    })
    .join("");
}

/** The tree of agents with what each was asked and what it answered. */
export function sessionStoryText({ session, agents }: SessionStory, id: string, paint: Paint): string {
  const head = session
    ? [
        `${paint("bold", `Session ${id}`)}  ${safeLine(session.title) || "conversation"}`,
        `folder   ${safeLine(session.cwd)}`,
        `model    ${safeLine(session.model)}`,
        `started  ${shortDate(session.startedAt)}`,
        session.endedAt === null || session.status === null
          ? "ended    not yet, or it was ended from outside"
          : `ended    ${shortDate(session.endedAt)}, ${statusText(session.status)}`,
      ]
    : [paint("bold", `Session ${id}`)];
  const stories = agents.map((agent) => agentText(agent, agents, paint));
  if (stories.length === 0) stories.push("No agent was started.\n");
  return `${head.join("\n")}\n\n${stories.join("\n")}`;
}

function agentText(agent: AgentStory, all: readonly AgentStory[], paint: Paint): string {
  const lead = "  ".repeat(ancestors(agent, all));
  const mark = agent.status === null ? paint("cyan", "●") : statusMark(agent.status, paint);
  const name = paint("bold", agentName(agent));
  const lines = [
    `${lead}${mark} ${name}  ${endWords(agent.status)}  ${figures(agent)}`,
    ...agent.exchanges.flatMap((exchange) => exchangeLines(exchange, agent.id, lead, paint)),
  ];
  return `${lines.join("\n")}\n`;
}

function exchangeLines(
  { prompt, summary, said }: Exchange,
  id: string,
  lead: string,
  paint: Paint,
): string[] {
  const asked = block("asked", prompt, lead, paint);
  if (summary === null) return [...asked, ...block("said so far", said, lead, paint)];
  const reason = summary.status === "done" ? "" : (summary.reason ?? "");
  return [
    ...asked,
    ...block(statusText(summary.status), reason, lead, paint),
    ...block("answer", summary.text, lead, paint),
    ...block("edits", summary.worktree ? worktreeLine(summary.worktree, id) : "", lead, paint),
  ];
}

function endWords(status: Status | null): string {
  return status === null ? "unfinished" : statusText(status);
}

function figures({ turns, usage, durationMs }: AgentStory): string {
  const time = durationMs === null ? [] : [shortTime(durationMs)];
  return [counted(turns, "turn"), `${shortCount(totalTokens(usage))} tokens`, ...time].join(" · ");
}

function block(name: string, text: string, lead: string, paint: Paint): string[] {
  const trimmed = safeText(text).trim();
  if (trimmed === "") return [];
  return [
    `${lead}  ${paint("dim", `${name}:`)}`,
    ...trimmed.split("\n").map((line) => `${lead}    ${line}`.trimEnd()),
  ];
}

/** A damaged journal may name parents in a circle; no agent is deeper than there are agents. */
function ancestors(agent: AgentStory, all: readonly AgentStory[]): number {
  let depth = 0;
  let above = all.find(({ id }) => id === agent.parent);
  while (above !== undefined && depth < all.length) {
    depth += 1;
    const { parent } = above;
    above = all.find(({ id }) => id === parent);
  }
  return depth;
}
