import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { WaitingForUser } from "../../events/event.ts";
import { decisionOn } from "../../features/inbox/index.ts";
import { readWaiting, type WaitingFile } from "../../features/inbox/waiting-file.ts";
import { lockHolder } from "../../journal/numbered-lock.ts";
import { journalFile, troupeHome } from "../../journal/paths.ts";
import { readJournal } from "../../journal/reader.ts";
import type { JournalRecord } from "../../journal/session-events.ts";
import { sessionStateOf } from "../../journal/session-state.ts";
import { listSessions, type SessionEntry, sessionPlaces } from "../../journal/sessions.ts";
import { readRegularFile } from "../../lib/files.ts";
import { type ActorId, MAIN, type SessionId } from "../../mailbox/ids.ts";
import { counted } from "../../terminal/figures.ts";
import type { CliIO } from "../process-io.ts";

/** Something that waits for the user. */
export interface InboxEntry {
  /** The session's ID, with the number of a request, or with the agent of a result. */
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

/** An entry that only tells: the user can dismiss it. */
export type InboxNotice = InboxEntry & { readonly what: { readonly type: "result" | "cut-off" } };

export function isNotice(entry: InboxEntry): entry is InboxNotice {
  return entry.what.type === "result" || entry.what.type === "cut-off";
}

const dismissedFile = (folder: string) => join(folder, "dismissed");
/** A later result of the same agent is another one. */
const lineOf = ({ id, since }: InboxNotice) => `${id} ${since}\n`;

/** It is not listed any longer. Throws the system's error. */
export function dismissNotice(entry: InboxNotice): void {
  appendFileSync(dismissedFile(entry.session.folder), lineOf(entry), { mode: 0o600 });
}

function withoutDismissed(folder: string, entries: readonly InboxNotice[]): readonly InboxNotice[] {
  const read = entries.length === 0 ? null : readRegularFile(dismissedFile(folder));
  const lines = read?.type === "read" ? read.bytes.toString() : "";
  return entries.filter((entry) => !lines.includes(lineOf(entry)));
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
  const notices = [...resultsIn(session, journal.records), ...cutOff(session, journal.records)];
  return [...waiting, ...withoutDismissed(session.folder, notices)];
}

/** The last result of each agent, if there is something to decide. */
function resultsIn(session: SessionEntry, records: readonly JournalRecord[]): readonly InboxNotice[] {
  const titles = new Map<ActorId, string>();
  const last = new Map<ActorId, InboxNotice>();
  for (const { event, at } of records) {
    if (event.type === "spawn") titles.set(event.spec.id, event.spec.description || event.spec.type);
    if (event.type === "reopen") last.delete(event.actor);
    if (event.type !== "summary") continue;
    const { actor, summary } = event;
    const title = titles.get(actor) ?? "conversation";
    const decision = decisionOn(summary);
    if (decision !== null)
      last.set(actor, {
        ...{ id: `${session.id}.${actor}`, session, since: at },
        what: { type: "result", decision, actor, title, summary },
      });
    else last.delete(actor);
  }
  return [...last.values()];
}

function cutOff(session: SessionEntry, records: readonly JournalRecord[]): readonly InboxNotice[] {
  if (session.state !== "interrupted") return [];
  const open = [...sessionStateOf(records).actors.values()].filter(({ summary }) => summary === null);
  const agents = open.filter(({ spec }) => spec.id !== MAIN).length;
  return open.length === 0
    ? []
    : [{ id: session.id, session, since: session.changedAt, what: { type: "cut-off", agents } }];
}

/** Returns a line if other sessions than this one wait for an answer, or null. Reads no journal. */
export async function waitsElsewhere(
  own: SessionId,
  { env, homedir }: Pick<CliIO, "env" | "homedir">,
): Promise<string | null> {
  const others = (await sessionPlaces(troupeHome(env, homedir))).filter(({ id }) => id !== own);
  const requests = others.flatMap(({ folder }) => {
    const waiting = readWaiting(folder).filter(({ request }) => request.type !== "paused");
    // The files of a killed process stay until its session is resumed.
    return waiting.length > 0 && lockHolder(folder) !== null ? waiting : [];
  });
  const wait = requests.length === 1 ? "waits" : "wait";
  return requests.length === 0
    ? null
    : `${counted(requests.length, "request")} of other sessions ${wait} for you: /inbox`;
}
