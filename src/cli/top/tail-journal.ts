import type { FileHandle } from "node:fs/promises";
import { JournalError } from "../../journal/journal-error.ts";
import { linesOf } from "../../journal/lines.ts";
import { openJournal } from "../../journal/open-journal.ts";
import { createLineParser, newerVersionProblem, type RecordLine } from "../../journal/record-line.ts";
import type { JournalRecord } from "../../journal/session-events.ts";
import { type Clock, pause } from "../../lib/clock.ts";
import { errorCode } from "../../lib/errors.ts";

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
