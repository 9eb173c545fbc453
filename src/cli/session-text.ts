import type { SessionEntry } from "../journal/sessions.ts";
import type { Paint } from "../terminal/colour.ts";
import { counted, dollars, shortDate } from "../terminal/figures.ts";
import { safeLine } from "../terminal/safe-text.ts";
import { statusText } from "./agent-text.ts";
import { tableLines } from "./print.ts";

/** Without an end. */
const notEnded = { running: "open", interrupted: "interrupted", ended: "" } as const;

/** One line per session. */
export function sessionListText(
  sessions: readonly (SessionEntry & { readonly activity?: string | null })[],
  withDirectory: boolean,
  paint: Paint,
): string {
  const rows = sessions.map(({ id, startedAt, status, agents, title, cwd, activity, costUsd, state }) => [
    { text: id, paint: (text: string) => paint("bold", text) },
    shortDate(startedAt),
    status === null ? (activity ?? notEnded[state]) : statusText(status),
    agents === null ? "" : counted(agents, "agent"),
    ...(sessions.some((session) => session.costUsd) ? [costUsd ? dollars(costUsd) : ""] : []),
    safeLine(title) || "conversation",
    ...(withDirectory ? [{ text: safeLine(cwd), paint: (text: string) => paint("dim", text) }] : []),
  ]);
  return tableLines(rows, { widest: 60 })
    .map((line) => `${line}\n`)
    .join("");
}
