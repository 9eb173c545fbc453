import type { WaitingForUser } from "../../events/event.ts";
import { decisionOn } from "../../features/inbox/index.ts";
import { readWaiting, type WaitingFile } from "../../features/inbox/waiting-file.ts";
import { journalFile } from "../../journal/paths.ts";
import { readJournal } from "../../journal/reader.ts";
import { sessionStateOf } from "../../journal/session-state.ts";
import { listSessions, type SessionEntry } from "../../journal/sessions.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { JournalRecord } from "../../mailbox/session-events.ts";

/** Something that waits for the user. */
export interface InboxEntry {
  /** The session's ID, and for what can be answered here the number of the request. */
  readonly id: string;
  readonly session: SessionEntry;
  /** ISO 8601. */
  readonly since: string;
  readonly what:
    | WaitingFile["request"]
    | Extract<WaitingForUser, { type: "result" }>
    /** Its process ended, and something was not finished. */
    | { readonly type: "cut-off"; readonly agents: number };
}

export interface InboxList {
  readonly entries: readonly InboxEntry[];
  readonly notes: readonly string[];
}

/** Sessions that were written to in this time are looked through, up to a number. */
const RECENT_MS = 7 * 24 * 3_600_000;
const MOST_SESSIONS = 50;

/** What waits for the user in all sessions of this user on this machine, the longest wait first. */
export async function readInbox(home: string, now: number): Promise<InboxList> {
  const { sessions, notes } = await listSessions(home);
  const recent = sessions
    .filter(({ changedAt, state }) => state === "running" || now - Date.parse(changedAt) < RECENT_MS)
    .slice(0, MOST_SESSIONS);
  const found = await Promise.all(recent.map((session) => entriesOf(session, now)));
  const entries = found.flat().sort((a, b) => (a.since < b.since ? -1 : 1));
  return { entries, notes };
}

/** What a session that runs waits for. */
export function waitingIn(session: SessionEntry, now: number): readonly WaitingFile[] {
  if (session.state !== "running") return [];
  return readWaiting(session.folder).filter(
    ({ request }) => request.type !== "paused" || request.pause.until > now,
  );
}

async function entriesOf(session: SessionEntry, now: number): Promise<readonly InboxEntry[]> {
  const waiting = waitingIn(session, now).map(({ id, since, request }) => ({
    ...{ id: `${session.id}.${id.replace(/^ask/, "")}`, session, since, what: request },
  }));
  const journal = await readJournal(journalFile(session.folder));
  if (journal.type === "refused") return waiting;
  return [...waiting, ...resultsIn(session, journal.records), ...cutOff(session, journal.records)];
}

/** The last result of each agent, if there is something to decide. */
function resultsIn(session: SessionEntry, records: readonly JournalRecord[]): readonly InboxEntry[] {
  const titles = new Map<ActorId, string>();
  const last = new Map<ActorId, InboxEntry>();
  for (const { event, at } of records) {
    if (event.type === "spawn") titles.set(event.spec.id, event.spec.description || event.spec.type);
    if (event.type === "reopen") last.delete(event.actor);
    if (event.type !== "summary") continue;
    const { actor, summary } = event;
    const title = titles.get(actor) ?? "conversation";
    const decision = decisionOn(summary);
    if (decision !== null)
      last.set(actor, {
        ...{ id: session.id, session, since: at },
        what: { type: "result", decision, actor, title, summary },
      });
    else last.delete(actor);
  }
  return [...last.values()];
}

function cutOff(session: SessionEntry, records: readonly JournalRecord[]): readonly InboxEntry[] {
  if (session.state !== "interrupted") return [];
  const open = [...sessionStateOf(records).actors.values()].filter(({ summary }) => summary === null);
  const agents = open.filter(({ spec }) => spec.id !== MAIN).length;
  return open.length === 0
    ? []
    : [{ id: session.id, session, since: session.changedAt, what: { type: "cut-off", agents } }];
}
