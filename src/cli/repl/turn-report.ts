import type { AgentResult } from "../../events/agent-result.ts";
import type { AgentView } from "../../events/event.ts";
import { counted } from "../../terminal/figures.ts";
import { safeLine, safeText } from "../../terminal/safe-text.ts";
import { wrapText } from "../../terminal/wrap.ts";
import { agentName, statusMark } from "../agent-text.ts";
import { unfinishedAgents } from "../unfinished.ts";
import type { Terminal } from "./terminal.ts";

type Shown = Pick<Terminal, "print" | "gap" | "paint" | "columns" | "replyRows">;

/** Shows what is not on the screen yet, then the lines of its usage. */
export function showResult(
  { print, gap, columns, replyRows }: Shown,
  { summary }: AgentResult,
  said: string,
  account: readonly string[],
): void {
  const show = (words: string) => print(wrapText(words, columns()).join("\n"));
  gap();
  // Text that was not streamed comes from the runtime, such as the last text of a failed agent.
  const text = safeText(summary.text).trim();
  if (text !== "" && !safeText(said).includes(text)) {
    print(replyRows(summary.text.trim()).join("\n"));
    gap();
  }
  for (const line of account) show(line);
}

/** Shows the summary of an agent that the user resumed. */
export function showAgentResult(
  { print, gap, paint, columns, replyRows }: Shown,
  { id, type, description, summary }: AgentResult,
): void {
  gap();
  print(`${statusMark(summary.status, paint)} ${paint("bold", agentName({ id, type, description }))}`);
  const reason = summary.status === "done" ? "" : safeLine(summary.reason ?? "");
  const text = summary.text.trim();
  if (text !== "") print(replyRows(text).join("\n"));
  if (reason !== "") print(wrapText(reason, columns()).join("\n"));
  gap();
}

/** Agents named in the line about those that continue. */
const NAMED = 3;

/** Names the agents that continue although the turn was stopped; null if none do. */
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
