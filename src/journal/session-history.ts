import type { SessionId } from "../mailbox/ids.ts";
import type { Status } from "../mailbox/messages.ts";
import type { JournalRecord } from "./session-events.ts";

export interface SessionHistory {
  readonly id: SessionId;
  readonly cwd: string;
  readonly title: string;
  /** From the latest `session` record: a resumed session may have changed it. */
  readonly model: string;
  /** Wall time, ISO 8601. */
  readonly startedAt: string;
  /** Null while open: it runs, or it was killed. If set, `end` is its last record. */
  readonly endedAt: string | null;
  readonly status: Status | null;
}

/** Returns null without a `session` record. */
export function sessionOf(records: Iterable<JournalRecord>): SessionHistory | null {
  let session: SessionHistory | null = null;
  for (const record of records) session = afterRecord(session, record);
  return session;
}

function afterRecord(known: SessionHistory | null, { at, event }: JournalRecord): SessionHistory | null {
  if (event.type === "session") {
    const { id, cwd, title, model } = event;
    return { ...(known ?? { id, cwd, title, startedAt: at }), model, endedAt: null, status: null };
  }
  if (known === null) return null;
  if (event.type === "title") return { ...known, title: event.title };
  if (event.type !== "end") return { ...known, endedAt: null, status: null };
  return { ...known, title: event.title ?? known.title, endedAt: at, status: event.status };
}
