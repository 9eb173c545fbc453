import { JournalError, readSentence } from "./journal-error.ts";
import { type Line, linesOf, openJournal } from "./lines.ts";
import { createLineParser, newerVersionProblem } from "./record-line.ts";
import type { JournalRecord } from "./session-events.ts";

export type JournalReading =
  | {
      readonly type: "read";
      readonly records: readonly JournalRecord[];
      /** What was left out and why, one sentence each. */
      readonly notes: readonly string[];
      /** Where a writer that resumes this journal starts. */
      readonly end: JournalEnd;
    }
  | { readonly type: "refused"; readonly reason: string };

/** The end of the intact part of a journal. */
export interface JournalEnd {
  /** The highest number in use; an unreadable line has used one too. */
  readonly seq: number;
  /** Bytes up to the end of the last complete line. */
  readonly bytes: number;
}

/** A file full of rubbish must not become a list of a million sentences. */
const MAX_NOTES = 100;

/**
 * Reads a session's history after any crash: reports and skips damaged lines, keeps intact ones (faults 37, 41).
 * Refuses a missing or unreadable file and a newer version's. Rejects only with the reason of an aborted signal.
 */
export async function readJournal(path: string, signal?: AbortSignal): Promise<JournalReading> {
  try {
    const handle = await openJournal(path);
    try {
      const reading = new Reading(path);
      for await (const line of linesOf(handle, signal)) {
        const newer = reading.take(line);
        if (newer !== null) return { type: "refused", reason: newerVersionProblem(path, newer) };
      }
      return reading.end();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (signal?.aborted) throw error;
    const reason = error instanceof JournalError ? error.message : readSentence(path, error);
    return { type: "refused", reason };
  }
}

class Reading {
  readonly #path: string;
  readonly #records: JournalRecord[] = [];
  readonly #notes: string[] = [];
  #moreNotes = 0;
  #seq = 0;
  #highest = 0;
  #bytes = 0;
  readonly #parse = createLineParser();
  /** Lines left out since the last good one: they account for as many numbers. */
  #skipped = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the version if it is too new to be read. */
  take(line: Line): number | null {
    if (!line.complete) {
      this.#note(
        `The last line (${line.number}) of ${this.#path} is torn and was left out; all before it is kept.`,
      );
      return null;
    }
    this.#bytes = line.end;
    const parsed = this.#parse(line.bytes);
    switch (parsed.type) {
      case "newer":
        return parsed.version;
      case "invalid":
        this.#skipped += 1;
        this.#note(`Line ${line.number} of ${this.#path} is ${parsed.why} and was left out.`);
        return null;
      case "repeated":
        this.#note(`Line ${line.number} of ${this.#path} repeats record ${parsed.seq} and was left out.`);
        return null;
      case "unknown":
        this.#follow(parsed.seq, line.number);
        this.#note(
          `Line ${line.number} of ${this.#path} is of an unknown type (${parsed.event}) and was left out.`,
        );
        return null;
      case "record":
        this.#follow(parsed.record.seq, line.number);
        this.#records.push(parsed.record);
        return null;
      default:
        return parsed satisfies never;
    }
  }

  end(): JournalReading {
    const more = this.#moreNotes > 0 ? [`${this.#moreNotes} more lines of ${this.#path} were left out.`] : [];
    return {
      type: "read",
      records: this.#records,
      notes: [...this.#notes, ...more],
      end: { seq: this.#highest + this.#skipped, bytes: this.#bytes },
    };
  }

  /** A wrong number alone loses nothing: it is reported, and the record kept. */
  #follow(seq: number, line: number): void {
    const expected = this.#seq + 1 + this.#skipped;
    if (seq !== expected) {
      this.#note(
        `Line ${line} of ${this.#path} is record ${seq} where ${expected} belongs; some may be missing.`,
      );
    }
    // A damaged number may be too large to count from.
    if (seq <= MAX_SEQ) this.#highest = Math.max(this.#highest, Math.ceil(seq));
    this.#seq = seq;
    this.#skipped = 0;
  }

  #note(sentence: string): void {
    if (this.#notes.length < MAX_NOTES) this.#notes.push(sentence);
    else this.#moreNotes += 1;
  }
}

/** More records than any session has. */
const MAX_SEQ = 2 ** 50;
