import type { AgentResult } from "../../session/options.ts";
import type { AgentView } from "../../supervisor/view.ts";
import { agentName, statusMark } from "../agent-text.ts";
import { counted } from "../figures.ts";
import { safeLine, safeText } from "../safe-text.ts";
import { unfinishedAgents } from "../unfinished.ts";
import type { Terminal } from "./terminal.ts";
import { wrapText } from "./wrap.ts";

type Shown = Pick<Terminal, "print" | "gap" | "paint" | "columns">;

/** What of a result was not on the screen yet, then the lines of its account. */
export function showResult(
  { print, gap, columns }: Shown,
  { summary }: AgentResult,
  said: string,
  account: readonly string[],
): void {
  const show = (words: string) => print(wrapText(words, columns()).join("\n"));
  gap();
  // What was not streamed is the runtime's own, such as what an agent that failed had said last.
  const text = safeText(summary.text).trim();
  if (text !== "" && !safeText(said).includes(text)) {
    show(text);
    gap();
  }
  for (const line of account) show(line);
}

/** The answer of an agent that the person went on with. */
export function showAgentResult(
  { print, gap, paint, columns }: Shown,
  { id, type, description, summary }: AgentResult,
): void {
  gap();
  print(`${statusMark(summary.status, paint)} ${paint("bold", agentName({ id, type, description }))}`);
  const reason = summary.status === "done" ? "" : safeLine(summary.reason ?? "");
  for (const words of [safeText(summary.text).trim(), reason])
    if (words !== "") print(wrapText(words, columns()).join("\n"));
  gap();
}

/** Agents named in the line about those that go on. */
const NAMED = 3;

/** Who goes on although the turn was stopped; null where nobody does. */
export function goingOnWords(views: readonly AgentView[]): string | null {
  const agents = unfinishedAgents(views);
  if (agents.length === 0) return null;
  const named = agents.slice(0, NAMED).map(agentName);
  const names = [...named, ...(agents.length > NAMED ? ["…"] : [])].join(", ");
  const [go, them] = agents.length === 1 ? ["goes", "it"] : ["go", "them"];
  return safeLine(
    `${counted(agents.length, "agent")} ${go} on in the background (${names}); /stop ends ${them}.`,
  );
}
