import { linkSync, rmSync } from "node:fs";
import { constants, type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "../lib/clock.ts";
import type { SessionId } from "../mailbox/ids.ts";
import { writeSentence } from "./journal-error.ts";
import { linesOf, openJournal, sealLines } from "./lines.ts";
import { journalFile, type SessionPlace } from "./paths.ts";
import { makePrivateFolders, syncFolder } from "./private-files.ts";
import { newerVersionProblem, parseRecord } from "./record-line.ts";
import type { SessionEvent } from "./session-events.ts";

export interface ForkRequest {
  /** Directory of the session to copy. It is only read, and may be open in another process. */
  readonly from: string;
  readonly to: SessionPlace;
  /** The new session's. */
  readonly id: SessionId;
  readonly clock: Pick<Clock, "date">;
  readonly signal?: AbortSignal;
  /** Only the records before this one are copied, and then these are added. */
  readonly cut?: { readonly before: number; readonly add: readonly SessionEvent[] };
}

export type Fork = { readonly type: "forked" } | { readonly type: "refused"; readonly reason: string };

/**
 * Copies the complete lines of a journal under a new session ID. Its `session` records get the new ID and name the
 * original; the copy counts as started now. It gets its name only when it is complete and durable, so a crash leaves no
 * partial session. Refuses unreadable or unwritable files, a newer version's journal and an existing session. Rejects
 * only with the reason of the signal.
 */
export async function forkJournal(request: ForkRequest): Promise<Fork> {
  const source = journalFile(request.from);
  const target = journalFile(request.to.folder);
  try {
    makePrivateFolders(request.to.home, request.to.folder);
    return await copyTo(target, source, request);
  } catch (error) {
    if (request.signal?.aborted) throw error;
    return { type: "refused", reason: writeSentence(target, error) };
  }
}

async function copyTo(target: string, source: string, request: ForkRequest): Promise<Fork> {
  const copy = `${target}.copy`;
  rmSync(copy, { force: true });
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const handle = await open(copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await handle.chmod(0o600);
    const refusal = await copyLines(source, handle, request);
    if (refusal !== null) return { type: "refused", reason: refusal };
    await handle.sync();
    // Unlike a rename it never replaces another journal.
    linkSync(copy, target);
    rmSync(copy);
    syncFolder(dirname(target));
    return { type: "forked" };
  } finally {
    await handle.close();
    rmSync(copy, { force: true });
  }
}

const BATCH_BYTES = 1024 * 1024;
const NEWLINE = Buffer.from("\n");

/** Returns null, or why the source cannot be copied. */
async function copyLines(source: string, to: FileHandle, request: ForkRequest): Promise<string | null> {
  const from = await openJournal(source);
  let batch: Buffer[] = [];
  let size = 0;
  const flush = async () => {
    await to.writeFile(Buffer.concat(batch));
    batch = [];
    size = 0;
  };
  try {
    let first = true;
    const { before = Number.POSITIVE_INFINITY, add = [] } = request.cut ?? {};
    for await (const { bytes, complete } of linesOf(from, request.signal)) {
      if (!complete || bytes === null) continue;
      if (seqOf(bytes) >= before) break;
      const line = underNewId(bytes, request, first);
      if (line.type === "newer") return newerVersionProblem(source, line.version);
      first &&= !line.isSession;
      batch.push(line.bytes, NEWLINE);
      size += line.bytes.length + 1;
      if (size >= BATCH_BYTES) await flush();
    }
    for (const [index, event] of add.entries())
      batch.push(sealed({ seq: before + index, at: request.clock.date(), event }), NEWLINE);
    await flush();
    return null;
  } finally {
    await from.close();
  }
}

type CopiedLine =
  | { readonly type: "line"; readonly bytes: Buffer; readonly isSession: boolean }
  | { readonly type: "newer"; readonly version: number };

/** Copies all lines but the `session` records unchanged, damaged ones too: readers report those. */
function underNewId(bytes: Buffer, { id, clock }: ForkRequest, first: boolean): CopiedLine {
  const same = { type: "line", bytes, isSession: false } as const;
  if (!bytes.includes('"session"')) return same;
  const parsed = parseRecord(bytes);
  if (parsed.type === "newer") return parsed;
  if (parsed.type !== "record" || parsed.record.event.type !== "session") return same;
  const { seq, at, event } = parsed.record;
  const copied = { seq, at: first ? clock.date() : at, event: { ...event, id, forkedFrom: event.id } };
  return { type: "line", bytes: sealed(copied), isSession: true };
}

/** Without its newline, like the others. */
function sealed(record: object): Buffer {
  return sealLines([JSON.stringify(record).slice(0, -1)]).subarray(0, -1);
}

/** Returns 0 for any other line. */
function seqOf(bytes: Buffer): number {
  return Number(/^\{"seq":(\d+),/.exec(bytes.toString("latin1", 0, 32))?.[1] ?? 0);
}
