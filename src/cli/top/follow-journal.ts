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
  /** All that is written so far was read; "stop" ends it with exit code 0. */
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
  let hasEnded = false;
  let problem: string | null = null;
  try {
    const { clock } = io;
    const isOpen = () => lockHolder(session.folder) !== null;
    for await (const item of tailJournal(journalFile(session.folder), {
      clock,
      signal: over.signal,
      isOpen,
    })) {
      switch (item.type) {
        case "record":
          hasEnded = item.record.event.type === "end";
          await follower.onRecord(item.record);
          break;
        case "note":
          await io.stderr.write(`${safeLine(item.text)}\n`);
          break;
        case "up-to-date":
          if ((await follower.onUpToDate?.()) === "stop") stop(exitCodes.done);
          break;
        default:
          item satisfies never;
      }
    }
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

export interface TailOptions {
  readonly clock: Clock;
  /** Ends the tail, without an error. */
  readonly signal: AbortSignal;
  /** Whether a process may still write to the journal. If none may, the tail ends with the file. */
  isOpen(): boolean;
}

export type TailItem =
  | { readonly type: "record"; readonly record: JournalRecord }
  /** A line could not be read; a sentence. */
  | { readonly type: "note"; readonly text: string }
  /** All that is written so far was read. */
  | { readonly type: "up-to-date" };

/**
 * Yields the records of a journal from its first on, then each as any process writes it. A torn last line is read once
 * it is whole. Throws a `JournalError` if the file cannot be read or is of a newer Troupe.
 */
export async function* tailJournal(path: string, options: TailOptions): AsyncGenerator<TailItem> {
  const { clock, signal, isOpen } = options;
  const handle = await waitForJournal(path, options);
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
        const item = itemOf(parse(bytes), path);
        if (item !== null) yield item;
      }
      yield { type: "up-to-date" };
      if (isLast) return;
      await pause(clock, POLL_MS, signal);
    }
  } finally {
    await handle.close();
  }
}

/** A session that has just started has no journal yet. Returns null if aborted before there was one. */
async function waitForJournal(
  path: string,
  { clock, signal, isOpen }: TailOptions,
): Promise<FileHandle | null> {
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

/** Returns null for a line that was read before. */
function itemOf(parsed: RecordLine, path: string): TailItem | null {
  switch (parsed.type) {
    case "newer":
      throw new JournalError(newerVersionProblem(path, parsed.version), path);
    case "invalid":
      return { type: "note", text: `A line of ${path} is ${parsed.why} and was left out.` };
    case "unknown":
      return { type: "note", text: `A line of ${path} is of an unknown kind (${parsed.event}).` };
    case "repeated":
      return null;
    case "record":
      return { type: "record", record: parsed.record };
    default:
      return parsed satisfies never;
  }
}
