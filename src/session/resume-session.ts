import { carryCopies } from "../features/checkpoints/restore-files.ts";
import { forkJournal } from "../journal/fork.ts";
import { JournalError } from "../journal/journal-error.ts";
import { journalFile, type SessionPlace, sessionPaths } from "../journal/paths.ts";
import { processIdentity } from "../journal/process-identity.ts";
import { readJournal } from "../journal/reader.ts";
import type { JournalRecord, SessionEvent } from "../journal/session-events.ts";
import { lockSession } from "../journal/session-lock.ts";
import { type SessionState, sessionStateOf } from "../journal/session-state.ts";
import { findSession, latestSession, sessionOf } from "../journal/sessions.ts";
import { systemClock } from "../lib/clock.ts";
import { type Ids, MAIN, randomIds, type SessionId } from "../mailbox/ids.ts";
import { noReceipts, usageOf } from "../mailbox/turns.ts";

/** A session as its journal tells it, held by this process alone: what `SupervisorOptions.resume` takes. */
export interface ResumableSession {
  readonly id: SessionId;
  readonly home: string;
  readonly folder: string;
  /** The directory the session is about. */
  readonly cwd: string;
  readonly model: string;
  readonly title: string;
  /** True if it was closed; its prompts have been answered then. */
  readonly ended: boolean;
  readonly state: SessionState;
  /** Where its journal goes on. */
  readonly end: { readonly seq: number; readonly bytes: number };
  /** What was left out of the journal and why, one sentence each. */
  readonly notes: readonly string[];
  /** Lets other processes have it; the session that takes it up does this at its end. */
  release(): void;
}

/** What `resumeSession` resolves with. */
export type Restoring =
  | { readonly type: "restored"; readonly session: ResumableSession }
  /** There is no such session, another process has it, or it cannot be read. */
  | { readonly type: "refused"; readonly reason: string };

/** Which session to resume. */
export interface ResumeRequest {
  readonly home: string;
  /** The directory whose sessions are meant by `latest`. */
  readonly cwd: string;
  /** Its id, or a beginning of it that no other has. */
  readonly session: "latest" | { readonly id: string };
  /** Work on a copy with an id of its own; the session itself is only read. */
  readonly fork?: boolean;
  /** Of the copy: it ends before this record, and agents that ran then have been stopped. */
  readonly before?: number;
  readonly ids?: Ids;
}

/** Takes a session up: locks it, reads its journal, folds it. Never rejects for what is on the disk. */
export async function resumeSession(request: ResumeRequest): Promise<Restoring> {
  try {
    const found = await find(request);
    if (typeof found === "string") return refused(found);
    const { session, notes } = found;
    if (!request.fork) return await open(session, notes);
    const copy = await copyOf(session, request.ids ?? randomIds(), request.before);
    return typeof copy === "string" ? refused(copy) : await open(copy, notes);
  } catch (error) {
    if (error instanceof JournalError) return refused(error.message);
    throw error;
  }
}

interface Known extends SessionPlace {
  readonly id: SessionId;
}

interface Found {
  readonly session: Known;
  readonly notes: readonly string[];
}

/** The session that is meant, with what could not be read as well, or why it was not found. */
async function find({ home, cwd, session }: ResumeRequest): Promise<Found | string> {
  if (session === "latest") {
    const { session: newest, notes } = await latestSession(home, cwd);
    if (newest !== null) return { session: newest, notes };
    const none = `There is no session about ${cwd} yet; \`troupe sessions list --all\` shows those of other directories.`;
    return notes.length > 0 ? notes.join("\n") : none;
  }
  const search = await findSession(home, session.id);
  switch (search.type) {
    case "found":
      return { session: search.session, notes: [] };
    case "unknown":
      return `There is no session ${JSON.stringify(session.id)}; \`troupe sessions list\` shows those there are.`;
    case "ambiguous":
      return `${search.sessions.length} sessions begin with ${JSON.stringify(session.id)}: ${search.sessions.map(({ id }) => id).join(", ")}. Give more of the id.`;
    default:
      return search satisfies never;
  }
}

async function copyOf(source: Known, ids: Ids, before?: number): Promise<Known | string> {
  const original = await readJournal(journalFile(source.folder));
  if (original.type === "refused") return original.reason;
  const history = sessionOf(original.records);
  if (!history) return nothingIn(source);
  const id = ids.session();
  const to = sessionPaths(source.home, history.cwd, id);
  const kept = original.records.filter(({ seq }) => before === undefined || seq < before);
  const cut = before === undefined ? {} : { cut: { before, add: stopped(kept) } };
  const fork = await forkJournal({ from: source.folder, to, id, clock: systemClock, ...cut });
  if (fork.type === "refused") return fork.reason;
  carryCopies(source.folder, to.folder, permittedCalls(kept));
  return { ...to, id };
}

/** Returns the ends of agents that had none: what they did later is not in the copy, and must not be done again. */
function stopped(records: readonly JournalRecord[]): SessionEvent[] {
  return [...sessionStateOf(records).actors.values()]
    .filter(({ spec, summary }) => spec.id !== MAIN && summary === null)
    .map(({ spec, run, turns }) => ({
      ...{ type: "summary", actor: spec.id, run, durationMs: 0 },
      summary: {
        ...{
          status: "cancelled",
          text: "",
          turns: turns.length,
          usage: usageOf(turns),
          receipts: noReceipts,
        },
        reason: "The user returned to an earlier prompt, at which it was still running.",
      },
    }));
}

/** Returns the calls that were allowed to run. */
export function permittedCalls(records: readonly JournalRecord[]): ReadonlySet<string> {
  return new Set(
    records.flatMap(({ event }) => (event.type === "before" && event.decision === "go" ? [event.call] : [])),
  );
}

/** Locked before it is read: what another process still wrote would be cut off. */
async function open({ id, home, folder }: Known, before: readonly string[]): Promise<Restoring> {
  const lock = lockSession({ home, folder }, processIdentity(process.pid));
  if (lock.type === "held") return refused(lock.reason);
  const reading = await readJournal(journalFile(folder));
  const history = reading.type === "read" ? sessionOf(reading.records) : null;
  if (reading.type === "refused" || history === null) {
    lock.release();
    return refused(reading.type === "refused" ? reading.reason : nothingIn({ id, home, folder }));
  }
  const { cwd, title } = history;
  const ended = history.endedAt !== null;
  const notes = [...before, ...(lock.note === undefined ? [] : [lock.note]), ...reading.notes];
  const state = sessionStateOf(reading.records);
  // An earlier resume may have changed it.
  const main = state.actors.get(MAIN);
  const model = main?.askedModel ?? main?.spec.model ?? history.model;
  return {
    type: "restored",
    session: {
      ...{ id, home, folder, cwd, model, title, ended, state },
      ...{ end: reading.end, notes, release: lock.release },
    },
  };
}

function nothingIn({ id, folder }: Known): string {
  return `The journal of session ${id} in ${folder} does not say what the session is about, so it cannot be resumed; \`troupe sessions show ${id}\` shows what is left of it.`;
}

function refused(reason: string): Restoring {
  return { type: "refused", reason };
}
