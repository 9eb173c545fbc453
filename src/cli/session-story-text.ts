import type { Paint } from "../terminal/colour.ts";
import { shortDate } from "../terminal/figures.ts";
import { safeLine, safeText } from "../terminal/safe-text.ts";
import { agentName, runFigures, statusMark, statusText } from "./agent-text.ts";
import { endNotes } from "./results.ts";
import type { AgentStory, PastCall, PastExchange, PastReply, SessionStory } from "./session-story.ts";
import { excerpt } from "./user-text.ts";

/** The tree of agents with their prompts, and all that they said and called. */
export function sessionStoryText(
  { session, agents }: SessionStory,
  { id, isHeld }: { readonly id: string; readonly isHeld: boolean },
  paint: Paint,
): string {
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
            ? `ended      ${isHeld ? "not yet, a process has it open" : "interrupted: its process ended before it"}`
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
    block("on", attemptLines(agent.attempts).join("\n"), lead, paint),
    ...agent.exchanges.map((exchange) => exchangeText(exchange, agent.id, lead, paint)),
  ].join("");
}

function attemptLines(attempts: AgentStory["attempts"]): string[] {
  return attempts.map(({ attempt, runner, left }) =>
    left === null ? `${runner}, attempt ${attempt}` : `${runner}, attempt ${attempt}: ${left}`,
  );
}

function exchangeText(
  { prompt, notice, replies, summary }: PastExchange,
  id: string,
  lead: string,
  paint: Paint,
): string {
  const isAnswer = ({ text, calls }: PastReply) => calls.length === 0 && text === summary?.text.trim();
  return [
    block("prompt", prompt, lead, paint),
    block("notice", noticeLine(notice ?? ""), lead, paint),
    ...replies.flatMap((reply) => [
      isAnswer(reply) ? "" : block("said", reply.text, lead, paint),
      ...reply.calls.map((call) => callText(call, lead, paint)),
    ]),
    ...(summary === null
      ? []
      : [
          block("answer", summary.text, lead, paint),
          block("notes", endNotes(summary, id).join("\n"), lead, paint),
        ]),
  ].join("");
}

/** What a notice is about, as it says in its tags; JSON has the whole. */
function noticeLine(notice: string): string {
  const subjects = [...notice.matchAll(/<summary>([\s\S]*?)<\/summary>/g)].map(([, subject = ""]) => subject);
  return excerpt(subjects.length === 0 ? notice.replace(/<[^>]*>/g, " ") : subjects.join(" "));
}

function callText({ tool, title, result, isError }: PastCall, lead: string, paint: Paint): string {
  const came =
    result === null
      ? paint("yellow", "no result")
      : paint(isError ? "red" : "dim", `${isError ? "failed: " : ""}${excerpt(result) || "nothing"}`);
  return `${lead}  ${safeLine(tool)} ${excerpt(title)}`.trimEnd().concat(`\n${lead}    ↳ ${came}\n`);
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
