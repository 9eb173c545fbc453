import { type FileHandle, readdir } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../lib/errors.ts";
import { SessionId } from "../mailbox/ids.ts";
import type { Status } from "../mailbox/messages.ts";
import { JournalError, readSentence } from "./journal-error.ts";
import { openJournal } from "./lines.ts";
import { lockHolder } from "./numbered-lock.ts";
import { journalFile, projectsFolder, type SessionPlace, slugOf } from "./paths.ts";
import { newerVersionProblem, parseRecord } from "./record-line.ts";
import type { JournalRecord } from "./session-events.ts";

/** One line of a list of sessions. */
export interface SessionEntry extends SessionPlace {
  readonly id: SessionId;
  readonly cwd: string;
  readonly title: string;
  readonly model: string;
  /** Wall time, ISO 8601. */
  readonly startedAt: string;
  /** When its journal was last written; wall time, ISO 8601. */
  readonly changedAt: string;
  /** `running`: a process has it open. `interrupted`: its last process ended without ending it. */
  readonly state: "ended" | "running" | "interrupted";
  /** Null unless ended. */
  readonly endedAt: string | null;
  readonly status: Status | null;
  /** The number of spawned agents; null if the session's last line does not say, as in one that has not ended. */
  readonly agents: number | null;
  /** In dollars, with its agents; null if the session's last line does not say. */
  readonly costUsd: number | null;
  /** Of the journal. */
  readonly bytes: number;
}

export interface SessionList {
  readonly sessions: readonly SessionEntry[];
  /** Sessions that could not be read, one sentence each. */
  readonly notes: readonly string[];
}

export interface FoundSession extends SessionPlace {
  readonly id: SessionId;
}

export type SessionSearch =
  | { readonly type: "found"; readonly session: FoundSession }
  | { readonly type: "ambiguous"; readonly sessions: readonly FoundSession[] }
  | { readonly type: "unknown" };

/** Files open at the same time. */
const AT_ONCE = 16;
/**
 * A `session` record can have a whole prompt as its title (then it is read again), other records only a short one. The
 * first prompt, and so the title, comes soon after it.
 */
const FIRST_LINES_BYTES = [64 * 1024, 4 * 1024 * 1024];
const LAST_LINE_BYTES = 4 * 1024;

/**
 * Returns the sessions in `home`, newest first; only those of `cwd`, if given. Reads the two ends of each journal,
 * never the whole. A home without sessions gives an empty list.
 */
export async function listSessions(home: string, cwd?: string): Promise<SessionList> {
  const slugs = cwd === undefined ? await foldersIn(projectsFolder(home)) : [slugOf(cwd)];
  const places = await placesIn(home, slugs);
  const sessions: SessionEntry[] = [];
  const notes: string[] = [];
  for (let start = 0; start < places.length; start += AT_ONCE) {
    for (const entry of await Promise.all(places.slice(start, start + AT_ONCE).map(entryOf))) {
      if (typeof entry === "string") notes.push(entry);
      // Two directories can share a slug.
      else if (entry !== null && (cwd === undefined || entry.cwd === cwd)) sessions.push(entry);
    }
  }
  sessions.sort((a, b) => compare(b.startedAt, a.startedAt) || compare(b.id, a.id));
  return { sessions, notes };
}

/**
 * Returns the last written session of this directory, and those that could not be read: the last one may be among them.
 */
export async function latestSession(
  home: string,
  cwd: string,
): Promise<{ readonly session: SessionEntry | null; readonly notes: readonly string[] }> {
  const { sessions, notes } = await listSessions(home, cwd);
  return { session: sessions.toSorted((a, b) => compare(b.changedAt, a.changedAt))[0] ?? null, notes };
}

/** Finds a session by its ID or a prefix of it; a whole ID wins over longer ones with this prefix. */
export async function findSession(home: string, idOrPrefix: string): Promise<SessionSearch> {
  if (!/^[A-Za-z0-9]+$/.test(idOrPrefix)) return { type: "unknown" };
  const places = await sessionPlaces(home);
  const exact = places.filter((place) => place.id === idOrPrefix);
  const sessions = exact.length > 0 ? exact : places.filter((place) => place.id.startsWith(idOrPrefix));
  const [session] = sessions;
  if (session === undefined) return { type: "unknown" };
  return sessions.length === 1 ? { type: "found", session } : { type: "ambiguous", sessions };
}

/** Returns where the sessions in `home` are; reads none of them. */
export async function sessionPlaces(home: string): Promise<readonly FoundSession[]> {
  return placesIn(home, await foldersIn(projectsFolder(home)));
}

async function placesIn(home: string, slugs: readonly string[]): Promise<FoundSession[]> {
  const places: FoundSession[] = [];
  for (const slug of slugs) {
    const project = join(projectsFolder(home), slug);
    for (const name of await foldersIn(project)) {
      const id = SessionId.safeParse(name);
      if (id.success) places.push({ id: id.data, home, folder: join(project, name) });
    }
  }
  return places;
}

/** Does not follow links; a missing directory has none. */
async function foldersIn(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw new JournalError(readSentence(path, error), path);
  }
}

/** Returns null without a journal (not a session's directory), or a sentence if it cannot be read. */
async function entryOf(place: FoundSession): Promise<SessionEntry | string | null> {
  const path = journalFile(place.folder);
  try {
    const handle = await openJournal(path);
    try {
      return await readEnds(place, path, handle);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!(error instanceof JournalError)) return readSentence(path, error);
    return errorCode(error.cause) === "ENOENT" ? null : error.message;
  }
}

async function readEnds(
  place: FoundSession,
  path: string,
  handle: FileHandle,
): Promise<SessionEntry | string> {
  const { size, mtime } = await handle.stat();
  const [first, ...others] = await firstLines(handle);
  const parsed = first === undefined ? null : parseRecord(first);
  if (parsed?.type === "newer") return newerVersionProblem(path, parsed.version);
  if (parsed?.type !== "record" || parsed.record.event.type !== "session") {
    return `The journal ${path} does not begin with a whole session record, so it is not listed; \`troupe sessions show ${place.id}\` shows what is left of it.`;
  }
  const { cwd, title, model } = parsed.record.event;
  const last = await lastRecord(handle, size, parsed.version);
  return {
    ...place,
    cwd,
    title: title || titleIn(others, parsed.version) || (last?.event.type === "end" && last.event.title) || "",
    model,
    startedAt: parsed.record.at,
    changedAt: mtime.toISOString(),
    ...endingOf(place.folder, last),
    bytes: size,
  };
}

type Ending = Pick<SessionEntry, "state" | "endedAt" | "status" | "agents" | "costUsd">;

function endingOf(folder: string, last: JournalRecord | null): Ending {
  if (last?.event.type !== "end") {
    const state = lockHolder(folder) === null ? "interrupted" : "running";
    return { state, endedAt: null, status: null, agents: null, costUsd: null };
  }
  const { status, agents = null, costUsd = null } = last.event;
  return { state: "ended", endedAt: last.at, status, agents, costUsd };
}

/** Returns the whole lines at the start: at least the first one, unless it has no end. */
async function firstLines(handle: FileHandle): Promise<Buffer[]> {
  for (const length of FIRST_LINES_BYTES) {
    const start = await readAt(handle, 0, length);
    const lines: Buffer[] = [];
    for (let from = 0, end = start.indexOf(0x0a); end !== -1; from = end + 1, end = start.indexOf(0x0a, from))
      lines.push(start.subarray(from, end));
    if (lines.length > 0 || start.length < length) return lines;
  }
  return [];
}

function titleIn(lines: readonly Buffer[], version: number): string {
  for (const line of lines.filter((bytes) => bytes.includes('"type":"title"'))) {
    const parsed = parseRecord(line, version);
    if (parsed.type === "record" && parsed.record.event.type === "title") return parsed.record.event.title;
  }
  return "";
}

/** Returns null if the last line is torn or longer than an `end` record ever is. */
async function lastRecord(handle: FileHandle, size: number, version: number): Promise<JournalRecord | null> {
  const from = Math.max(0, size - LAST_LINE_BYTES);
  const tail = await readAt(handle, from, size - from);
  if (tail.at(-1) !== 0x0a) return null;
  const before = tail.lastIndexOf(0x0a, -2);
  if (before === -1) return null;
  const parsed = parseRecord(tail.subarray(before + 1, -1), version);
  return parsed.type === "record" ? parsed.record : null;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** ISO times and IDs sort by their characters, not by the user's language. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

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
