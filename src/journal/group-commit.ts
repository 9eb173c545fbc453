import type { Clock } from "../mailbox/clock.ts";
import { syncSentence, writeSentence } from "./journal-error.ts";
import type { FromWriter } from "./writer-lane.ts";

/** The four things a journal does to its file; they throw what the system says. */
export interface JournalFile {
  /** Appends; answers how many bytes were taken, which may be fewer. */
  write(bytes: Uint8Array): number;
  /** Returns when everything written is on disk. */
  sync(): void;
  truncate(length: number): void;
  close(): void;
}

export interface Entry {
  /** Somebody waits for it; a note may wait for company. */
  readonly awaited: boolean;
  readonly text: string;
}

export interface GroupCommitPorts {
  readonly path: string;
  readonly clock: Clock;
  open(): JournalFile;
  reply(message: FromWriter): void;
}

/** How long a note waits for an append to share its fsync, in milliseconds. */
const NOTE_MS = 50;
/** A group ends here even if more is waiting, so that one string always holds it. */
const MAX_GROUP_CHARS = 4 * 1024 * 1024;

/**
 * Gathers records and makes each group durable with one write and one fsync. Numbers are given here and
 * only to what was written: a failed group leaves no gap.
 *
 * A failed write is taken back (the file is cut to its last good length) and the next group tries anew, so
 * a session goes on when the disk has room again (fault 42); notes of the failed group go with it. After a
 * failed fsync nothing more is written: the descriptor can no longer be believed (fault 45).
 */
export class GroupCommit {
  readonly #ports: GroupCommitPorts;
  #file: JournalFile | null = null;
  #seq = 0;
  #bytes = 0;
  #group: Entry[] = [];
  #groupChars = 0;
  /** Notes of groups that failed. */
  #kept: Entry[] = [];
  #withdrawTimer: (() => void) | null = null;
  #lost = 0;
  #lastFailure = "";
  /** The first failure that cannot be got over. */
  #broken: string | null = null;

  constructor(ports: GroupCommitPorts) {
    this.#ports = ports;
  }

  /** Makes the file before it is needed. A failure shows at the first group, which tries again. */
  begin(): void {
    try {
      this.#file ??= this.#ports.open();
    } catch {
      // Said by the first group, where somebody listens.
    }
  }

  /** Answers whether the group has room for more. */
  add(entry: Entry): boolean {
    this.#group.push(entry);
    this.#groupChars += entry.text.length;
    return this.#groupChars < MAX_GROUP_CHARS;
  }

  /** The next record cannot be written at all; what came before it is answered first. */
  refuse(awaited: boolean, message: string): void {
    this.commit();
    if (!awaited) {
      this.#lost += 1;
      this.#lastFailure = message;
    }
    this.#ports.reply({ type: "failed", count: 1, message });
  }

  /** No more is waiting just now: commits if anybody waits, else lets the notes wait a little. */
  settle(): void {
    if (this.#group.some((entry) => entry.awaited) || this.#groupChars >= MAX_GROUP_CHARS) this.commit();
    else if (this.#group.length > 0) {
      this.#withdrawTimer ??= this.#ports.clock.after(NOTE_MS, () => this.commit());
    }
  }

  commit(): void {
    this.#withdrawTimer?.();
    this.#withdrawTimer = null;
    const fresh = this.#group;
    this.#group = [];
    this.#groupChars = 0;
    const all = [...this.#kept, ...fresh];
    if (all.length === 0) return;
    const first = this.#seq + 1 + this.#kept.length;
    const failure = this.#write(all);
    if (failure === null) {
      this.#kept = [];
      this.#ports.reply({ type: "written", seqs: fresh.map((_, index) => first + index) });
    } else {
      this.#keepNotes(all);
      this.#lastFailure = failure;
      this.#ports.reply({ type: "failed", count: fresh.length, message: failure });
    }
  }

  /** Writes what is left and lets the file go. */
  close(): void {
    this.commit();
    const lost = this.#lost + this.#kept.length;
    this.#ports.reply({ type: "closed", lost, message: lost > 0 ? this.#lastFailure : "" });
    this.#file?.close();
    this.#file = null;
  }

  /** Where nothing can be written any more, keeping them would only fill the memory. */
  #keepNotes(entries: readonly Entry[]): void {
    const notes = entries.filter((entry) => !entry.awaited);
    this.#kept = this.#broken === null ? notes : [];
    if (this.#broken !== null) this.#lost += notes.length;
  }

  /** Null, or the sentence that says why nothing of it was written. */
  #write(entries: readonly Entry[]): string | null {
    if (this.#broken !== null) return this.#broken;
    const { path } = this.#ports;
    const lines = entries.map((entry, index) => `{"seq":${this.#seq + 1 + index},${entry.text}\n`);
    const bytes = Buffer.from(lines.join(""));
    try {
      this.#file ??= this.#ports.open();
      writeAll(this.#file, bytes);
    } catch (error) {
      this.#takeBack(error);
      return writeSentence(path, error);
    }
    try {
      this.#file.sync();
    } catch (error) {
      this.#broken = syncSentence(path, error);
      return this.#broken;
    }
    this.#seq += entries.length;
    this.#bytes += bytes.length;
    return null;
  }

  /** A torn line must not stay in the middle of the file: what follows would be lost with it. */
  #takeBack(cause: unknown): void {
    try {
      this.#file?.truncate(this.#bytes);
    } catch {
      this.#broken = writeSentence(this.#ports.path, cause);
    }
  }
}

function writeAll(file: JournalFile, bytes: Uint8Array): void {
  let done = 0;
  while (done < bytes.length) {
    const taken = file.write(bytes.subarray(done));
    if (taken <= 0) throw new Error("the system takes no more bytes");
    done += taken;
  }
}
