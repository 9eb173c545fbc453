import type { SessionEvent } from "../mailbox/session-events.ts";
import { JournalError } from "./journal-error.ts";
import { MAX_RECORD_CHARS } from "./lines.ts";
import { type Redaction, redactJson } from "./redact-event.ts";

/**
 * Returns a record's line from `"at"` to its event; the writer adds its number and its checksum. Throws a
 * `JournalError` for what no reader would accept.
 */
export function recordText(
  path: string,
  at: string,
  event: SessionEvent,
  redaction: Redaction | null = null,
): string {
  const json = jsonOf(path, event);
  const text = `"at":${JSON.stringify(at)},"event":${redaction ? redactJson(json, redaction) : json}`;
  if (text.length <= MAX_RECORD_CHARS) return text;
  throw new JournalError(
    `A record (${event.type}) of ${text.length} characters is too large for the journal ${path}, which takes ${MAX_RECORD_CHARS}; put the large content into a file and refer to it.`,
    path,
    "record",
  );
}

function jsonOf(path: string, event: SessionEvent): string {
  try {
    return JSON.stringify(event);
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new JournalError(
      `A record (${event.type}) was not written to the journal ${path} because it is not plain data (${why}); this is a mistake in the program that made it, please report it.`,
      path,
      "record",
    );
  }
}
