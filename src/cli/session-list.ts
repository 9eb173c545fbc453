import { type FoundSession, findSession, type SessionEntry } from "../journal/sessions.ts";
import type { Paint } from "../terminal/colour.ts";
import { counted, dollars, shortDate } from "../terminal/figures.ts";
import { safeLine } from "../terminal/safe-text.ts";
import { statusText } from "./agent-text.ts";
import { quoted, UsageError } from "./exit-codes.ts";
import { tableLines } from "./print.ts";

/** Finds the session that an ID or its beginning means. Throws a `UsageError` if there is not exactly one. */
export async function sessionNamed(id: string, home: string): Promise<FoundSession> {
  const search = await findSession(home, id);
  switch (search.type) {
    case "found":
      return search.session;
    case "unknown":
      throw new UsageError(`There is no session ${quoted(id)}; troupe sessions list --all shows them.`);
    case "ambiguous": {
      const ids = search.sessions.slice(0, 5).map((session) => session.id);
      const more = search.sessions.length > 5 ? `, … (${search.sessions.length} in all)` : "";
      throw new UsageError(
        `${quoted(id)} begins more than one session: ${ids.join(", ")}${more}; give more of the ID.`,
      );
    }
    default:
      return search satisfies never;
  }
}

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
