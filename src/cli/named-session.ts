import { type FoundSession, findSession } from "../journal/sessions.ts";
import { quoted, UsageError } from "./usage-error.ts";

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
