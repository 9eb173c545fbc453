import { watch } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { JournalError } from "../../journal/journal-error.ts";
import { migration, OLDEST_VERSION } from "../../journal/migrate.ts";
import { openJournal } from "../../journal/open-journal.ts";
import { newerSentence, parseRecord } from "../../journal/record-line.ts";
import { errorCode } from "../../lib/errors.ts";
import { type Clock, pause } from "../../mailbox/clock.ts";
import type { JournalRecord } from "../../mailbox/session-events.ts";

/** Milliseconds after which the file is looked at although the system told of no change: not every disk tells. */
const POLL_MS = 500;
const CHUNK_BYTES = 256 * 1024;

export interface TailOptions {
  readonly clock: Clock;
  /** Ends the tail, without an error. */
  readonly signal: AbortSignal;
  /** Whether anybody may still write to it; when nobody does, the tail ends with the file. */
  isOpen(): boolean;
}

/** A record, or a sentence about a line that could not be read. */
export type TailItem =
  | { readonly type: "record"; readonly record: JournalRecord }
  | { readonly type: "note"; readonly text: string };

/**
 * The records of a journal from its first on, then each as it is written by whichever process. A last line that is
 * torn is waited for until it is whole. Throws a `JournalError` where the file cannot be read or is of a newer Troupe.
 */
export async function* tailJournal(path: string, options: TailOptions): AsyncGenerator<TailItem> {
  const { signal, isOpen } = options;
  const changes = watchFile(path, options);
  const handle = await opened(path, options, changes);
  if (handle === null) return changes.close();
  try {
    const lines = new Lines(path);
    while (!signal.aborted) {
      // Asked before reading: what was written until then is read after it.
      const last = !isOpen();
      for await (const line of newLines(handle, lines)) {
        const item = lines.read(line);
        if (item !== null) yield item;
        if (signal.aborted) return;
      }
      if (last) return;
      await changes.next();
    }
  } finally {
    changes.close();
    await handle.close();
  }
}

/** A session that has just begun has no journal yet. Null where none came. */
async function opened(path: string, options: TailOptions, changes: Changes): Promise<FileHandle | null> {
  while (!options.signal.aborted) {
    const last = !options.isOpen();
    try {
      return await openJournal(path);
    } catch (error) {
      const isMissing = error instanceof JournalError && errorCode(error.cause) === "ENOENT";
      if (last || !isMissing) {
        changes.close();
        throw error;
      }
      await changes.next();
    }
  }
  return null;
}

/** What is whole from the place the last reading came to; that place moves with each line. */
async function* newLines(handle: FileHandle, lines: Lines): AsyncGenerator<Buffer> {
  const { size } = await handle.stat();
  // The writer has taken back what it could not write whole: what it writes now stands where that was.
  if (size < lines.position) lines.position = 0;
  let parts: Buffer[] = [];
  for (let at = lines.position; ; ) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]);
      parts = [];
      lines.position += line.length + 1;
      yield line;
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
  }
}

class Lines {
  /** Bytes of the file that were read as whole lines. */
  position = 0;
  readonly #path: string;
  readonly #migrate = migration();
  readonly #seen = new Set<number>();
  #version = OLDEST_VERSION;

  constructor(path: string) {
    this.#path = path;
  }

  /** Null where it is known already. */
  read(line: Buffer): TailItem | null {
    const parsed = parseRecord(line, this.#version, this.#migrate);
    switch (parsed.type) {
      case "newer":
        throw new JournalError(newerSentence(this.#path, parsed.version), this.#path);
      case "invalid":
        return { type: "note", text: `A line of ${this.#path} is ${parsed.why} and was left out.` };
      case "unknown":
        return { type: "note", text: `A line of ${this.#path} is of an unknown kind (${parsed.event}).` };
      case "record": {
        const { record } = parsed;
        if (this.#seen.has(record.seq)) return null;
        this.#seen.add(record.seq);
        this.#version = parsed.version;
        return { type: "record", record };
      }
      default:
        return parsed satisfies never;
    }
  }
}

interface Changes {
  /** Resolves when the file may have changed, at once where it did since the last time; never later than the poll. */
  next(): Promise<void>;
  close(): void;
}

function watchFile(path: string, { clock, signal }: TailOptions): Changes {
  let changed = false;
  let wake = new AbortController();
  const look = (): void => {
    changed = true;
    wake.abort();
  };
  let stop = () => {};
  try {
    const watcher = watch(path, look);
    // A watcher that fails leaves the poll.
    watcher.on("error", () => watcher.close());
    stop = () => watcher.close();
  } catch {
    // Not there yet, or the system has no watcher left to give.
  }
  return {
    async next() {
      if (!changed) await pause(clock, POLL_MS, AbortSignal.any([wake.signal, signal]));
      changed = false;
      wake = new AbortController();
    },
    close: () => stop(),
  };
}
