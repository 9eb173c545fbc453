import type { SessionEntry } from "../journal/sessions.ts";
import { agentName, runFigures, statusMark, statusText } from "./agent-text.ts";
import type { Paint } from "./colour.ts";
import { counted, dollars, shortDate } from "./figures.ts";
import { tableLines } from "./print.ts";
import { endNotes } from "./results.ts";
import { safeLine, safeText } from "./safe-text.ts";
import type { AgentStory, PastExchange, SessionStory } from "./session-history.ts";

/** One line per session. */
export function sessionListText(
  sessions: readonly (SessionEntry & { readonly activity?: string | null })[],
  withDirectory: boolean,
  paint: Paint,
): string {
  const rows = sessions.map(({ id, startedAt, status, agents, title, cwd, activity, costUsd }) => [
    { text: id, paint: (text: string) => paint("bold", text) },
    shortDate(startedAt),
    status === null ? (activity ?? "open") : statusText(status),
    agents === null ? "" : counted(agents, "agent"),
    ...(sessions.some((session) => session.costUsd) ? [costUsd ? dollars(costUsd) : ""] : []),
    safeLine(title) || "conversation",
    ...(withDirectory ? [{ text: safeLine(cwd), paint: (text: string) => paint("dim", text) }] : []),
  ]);
  return tableLines(rows, { widest: 60 })
    .map((line) => `${line}\n`)
    .join("");
}

/** The tree of agents with their prompts and answers. */
export function sessionStoryText({ session, agents }: SessionStory, id: string, paint: Paint): string {
  const title = paint("bold", `Session ${id}`);
  const head =
    session === null
      ? [title]
      : [
          `${title}  ${safeLine(session.title) || "conversation"}`,
          `directory  ${safeLine(session.cwd)}`,
          `model      ${safeLine(session.model)}`,
          `started    ${shortDate(session.startedAt)}`,
          session.endedAt === null || session.status === null
            ? "ended      not yet, or its process was killed"
            : `ended      ${shortDate(session.endedAt)}, ${statusText(session.status)}`,
        ];
  const stories = agents.map((agent) => agentText(agent, agents, paint));
  return `${head.join("\n")}\n\n${stories.join("\n") || "No agent was started.\n"}`;
}

function agentText(agent: AgentStory, all: readonly AgentStory[], paint: Paint): string {
  const { status, turns, usage, durationMs } = agent;
  const lead = "  ".repeat(depthOf(agent, all));
  const mark = status === null ? paint("cyan", "●") : statusMark(status, paint);
  const end = status === null ? "unfinished" : statusText(status);
  return [
    `${lead}${mark} ${paint("bold", agentName(agent))}  ${end}  ${runFigures({ turns, usage, ms: durationMs })}\n`,
    ...agent.exchanges
      .flatMap((exchange) => exchangeBlocks(exchange, agent.id))
      .map(([name, text]) => block(name, text, lead, paint)),
  ].join("");
}

function exchangeBlocks({ prompt, summary, said }: PastExchange, id: string): (readonly [string, string])[] {
  if (summary === null)
    return [
      ["prompt", prompt],
      ["said so far", said],
    ];
  return [
    ["prompt", prompt],
    ["answer", summary.text],
    ["notes", endNotes(summary, id).join("\n")],
  ];
}

function block(name: string, text: string, lead: string, paint: Paint): string {
  const trimmed = safeText(text).trim();
  if (trimmed === "") return "";
  const lines = trimmed.split("\n").map((line) => `${lead}    ${line}`.trimEnd());
  return [`${lead}  ${paint("dim", `${name}:`)}`, ...lines].map((line) => `${line}\n`).join("");
}

/** A damaged journal may name parents in a circle; no agent is deeper than there are agents. */
function depthOf(agent: AgentStory, all: readonly AgentStory[]): number {
  let depth = 0;
  for (let { parent } = agent; depth < all.length; depth += 1) {
    const above = all.find(({ id }) => id === parent);
    if (above === undefined) break;
    parent = above.parent;
  }
  return depth;
}
