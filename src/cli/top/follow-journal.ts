import type { FileHandle } from "node:fs/promises";
import { JournalError } from "../../journal/journal-error.ts";
import { linesOf, openJournal } from "../../journal/lines.ts";
import { lockHolder } from "../../journal/numbered-lock.ts";
import { journalFile } from "../../journal/paths.ts";
import { createLineParser, newerVersionProblem, type RecordLine } from "../../journal/record-line.ts";
import type { JournalRecord } from "../../journal/session-events.ts";
import type { FoundSession } from "../../journal/sessions.ts";
import { type Clock, pause } from "../../lib/clock.ts";
import { errorCode } from "../../lib/errors.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { exitCodes } from "../exit-codes.ts";
import { onStopSignals } from "../interrupts.ts";
import type { CliIO } from "../process-io.ts";

export interface JournalFollower {
  onRecord(record: JournalRecord): Promise<void> | void;
  /** Called when all that is written so far has been read; "stop" ends it with exit code 0. */
  onUpToDate?(): Promise<"stop" | undefined> | "stop" | undefined;
  /** Called before the last message to the user, however it ends. */
  onEnd?(): void;
  /** Ends it with this exit code. */
  readonly stop?: Promise<number>;
}

/**
 * Follows a session's journal from its beginning until no process has the session open, or until a signal. Returns the
 * exit code: 0 if the session was ended.
 */
export async function followJournal(
  session: FoundSession,
  io: CliIO,
  follower: JournalFollower,
): Promise<number> {
  const over = new AbortController();
  let code: number | null = null;
  const stop = (by: number): void => {
    code ??= by;
    over.abort();
  };
  follower.stop?.then(stop, () => {});
  const withdraw = onStopSignals(io, stop);
  const path = journalFile(session.folder);
  let hasEnded = false;
  let problem: string | null = null;
  const note = (text: string): Promise<void> => io.stderr.write(`${safeLine(text)}\n`);
  const take = async (line: RecordLine): Promise<void> => {
    switch (line.type) {
      case "newer":
        throw new JournalError(newerVersionProblem(path, line.version), path);
      case "invalid":
        return note(`A line of ${path} is ${line.why} and was left out.`);
      case "unknown":
        return note(`A line of ${path} is of an unknown kind (${line.event}).`);
      case "repeated":
        return;
      case "record":
        hasEnded = line.record.event.type === "end";
        return follower.onRecord(line.record);
      default:
        return line satisfies never;
    }
  };
  try {
    await tailJournal(path, {
      ...{ clock: io.clock, signal: over.signal, isOpen: () => lockHolder(session.folder) !== null, take },
      async onUpToDate() {
        if ((await follower.onUpToDate?.()) === "stop") stop(exitCodes.done);
      },
    });
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    problem = error.message;
  } finally {
    withdraw();
    follower.onEnd?.();
  }
  if (code !== null) return code;
  if (problem === null && hasEnded) return exitCodes.done;
  const { id } = session;
  await io.stderr.write(
    `${safeLine(problem ?? `Session ${id} is no longer running and was not ended: its process was killed. Resume it with troupe --resume ${id}.`)}\n`,
  );
  return exitCodes.notDone;
}

/** Milliseconds between two looks at the file. */
const POLL_MS = 200;

interface Tail {
  readonly clock: Clock;
  /** Ends the tail, without an error. */
  readonly signal: AbortSignal;
  /** Whether a process may still write to the journal. If none may, the tail ends with the file. */
  isOpen(): boolean;
  take(line: RecordLine): Promise<void>;
  /** Called when all that is written so far has been read. */
  onUpToDate(): Promise<void>;
}

/**
 * Takes the lines of a journal from its first on, then each as any process writes it. A torn last line is read once it
 * is whole. Throws a `JournalError` if the file cannot be read.
 */
async function tailJournal(path: string, tail: Tail): Promise<void> {
  const { clock, signal, isOpen, take, onUpToDate } = tail;
  const handle = await waitForJournal(path, tail);
  if (handle === null) return;
  try {
    const parse = createLineParser();
    let position = 0;
    while (!signal.aborted) {
      // Asked before reading: what was written until then is read below.
      const isLast = !isOpen();
      // The writer cut off what it could not write whole: its next lines stand where that was.
      if ((await handle.stat()).size < position) position = 0;
      for await (const { bytes, complete, end } of linesOf(handle, undefined, position)) {
        if (signal.aborted) return;
        if (!complete) break;
        position = end;
        await take(parse(bytes));
      }
      await onUpToDate();
      if (isLast) return;
      await pause(clock, POLL_MS, signal);
    }
  } finally {
    await handle.close();
  }
}

/** A session that has just started has no journal yet. Returns null if aborted before there was one. */
async function waitForJournal(path: string, { clock, signal, isOpen }: Tail): Promise<FileHandle | null> {
  while (!signal.aborted) {
    const isLast = !isOpen();
    try {
      return await openJournal(path);
    } catch (error) {
      const isMissing = error instanceof JournalError && errorCode(error.cause) === "ENOENT";
      if (isLast || !isMissing) throw error;
      await pause(clock, POLL_MS, signal);
    }
  }
  return null;
}
