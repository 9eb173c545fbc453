import { type FoundSession, findSession } from "../journal/sessions.ts";
import { quoted } from "./option.ts";
import { UsageError } from "./usage-error.ts";

/** The session a person means by an id or the beginning of one; a `UsageError` where that is none or several. */
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
        `${quoted(id)} begins more than one session: ${ids.join(", ")}${more}; give more of the id.`,
      );
    }
    default:
      return search satisfies never;
  }
}
