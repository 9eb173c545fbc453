import type { Clock } from "../mailbox/clock.ts";
import { sealLines } from "./checksum.ts";
import { isFull, replacedSentence, syncSentence, writeSentence } from "./journal-error.ts";
import type { JournalFile } from "./journal-file.ts";
import type { JournalEnd } from "./reader.ts";
import type { FromWriter, WriteFailure } from "./writer-messages.ts";

export interface Entry {
  /** Somebody waits for it; a note may wait for company. */
  readonly awaited: boolean;
  readonly text: string;
}

export interface GroupCommitPorts {
  readonly path: string;
  readonly clock: Clock;
  /** What is in the file already. */
  readonly from: JournalEnd;
  open(): JournalFile;
  /** A new file in place of the old one: its first `keep` bytes, then `bytes`, all of it durable. */
  replace(keep: number, bytes: Uint8Array): JournalFile;
  reply(message: FromWriter): void;
}

/** How long a note waits for an append to share its fsync, in milliseconds. */
const NOTE_MS = 50;
/** A group ends here even if more is waiting, so that one string always holds it. */
const MAX_GROUP_CHARS = 4 * 1024 * 1024;

interface Failed {
  readonly failure: WriteFailure;
  readonly message: string;
}

/**
 * Gathers records and makes each group durable with one write and one fsync. Numbers are given here and
 * only to what was written: a failed group leaves no gap.
 *
 * A failed write is taken back (the file is cut to its last good length) and the next group tries anew, so
 * a session goes on when the disk has room again (fault 42); notes of the failed group go with it. After a
 * failed fsync the descriptor can no longer be believed, nor what was written since the last good one: the
 * group goes to a new file that takes the old one's place (fault 45). If that fails too, nothing more is
 * written, unless it was for lack of room.
 */
export class GroupCommit {
  readonly #ports: GroupCommitPorts;
  #file: JournalFile | null = null;
  #seq: number;
  /** Length of what is safe on disk. */
  #bytes: number;
  #group: Entry[] = [];
  #groupChars = 0;
  /** Notes of groups that failed. */
  #kept: Entry[] = [];
  #withdrawTimer: (() => void) | null = null;
  /** Of the fsync that failed: what is there is not written any more, only replaced. */
  #doubt: { readonly cause: unknown } | null = null;
  /** The first failure that cannot be got over. */
  #broken: string | null = null;

  constructor(ports: GroupCommitPorts) {
    this.#ports = ports;
    this.#seq = ports.from.seq;
    this.#bytes = ports.from.bytes;
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
  refuse(message: string): void {
    this.commit();
    this.#ports.reply({ type: "failed", count: 1, failure: "record", message });
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
    const failed = this.#write(all);
    if (failed === null) {
      this.#kept = [];
      const end = { seq: this.#seq, bytes: this.#bytes };
      this.#ports.reply({ type: "written", seqs: fresh.map((_, index) => first + index), end });
    } else {
      // Where nothing can be written any more, keeping them would only fill the memory.
      this.#kept = failed.failure === "unwritable" ? all.filter(({ awaited }) => !awaited) : [];
      this.#ports.reply({ type: "failed", count: fresh.length, ...failed });
    }
  }

  /** Writes what is left and lets the file go. */
  close(): void {
    this.commit();
    this.#ports.reply({ type: "closed" });
    this.#file?.close();
    this.#file = null;
  }

  /** Null, or why nothing of it was written. */
  #write(entries: readonly Entry[]): Failed | null {
    if (this.#broken !== null) return { failure: "broken", message: this.#broken };
    const bytes = sealLines(entries.map((entry, index) => `{"seq":${this.#seq + 1 + index},${entry.text}`));
    const failed = this.#doubt === null ? this.#append(bytes) : this.#replace(bytes, this.#doubt.cause);
    if (failed !== null) return failed;
    this.#seq += entries.length;
    this.#bytes += bytes.length;
    return null;
  }

  #append(bytes: Uint8Array): Failed | null {
    let file = this.#file;
    try {
      file ??= this.#ports.open();
      this.#file = file;
      writeAll(file, bytes);
    } catch (error) {
      return this.#takeBack(error);
    }
    try {
      file.sync();
      return null;
    } catch (error) {
      return this.#replace(bytes, error);
    }
  }

  /** A torn line must not stay in the middle of the file: what follows would be lost with it. */
  #takeBack(cause: unknown): Failed {
    const message = writeSentence(this.#ports.path, cause);
    try {
      this.#file?.truncate(this.#bytes);
      return { failure: "unwritable", message };
    } catch {
      return this.#break(message);
    }
  }

  /** `cause` is what the fsync said. */
  #replace(bytes: Uint8Array, cause: unknown): Failed | null {
    const { path, replace, reply } = this.#ports;
    this.#doubt = { cause };
    this.#letGo();
    try {
      this.#file = replace(this.#bytes, bytes);
    } catch (error) {
      if (isFull(error)) return { failure: "unwritable", message: writeSentence(path, error) };
      return this.#break(syncSentence(path, cause));
    }
    this.#doubt = null;
    reply({ type: "replaced", message: replacedSentence(path, cause) });
    return null;
  }

  #letGo(): void {
    try {
      this.#file?.close();
    } catch {
      // Closing can report the lost bytes once more; that they are lost is known.
    }
    this.#file = null;
  }

  #break(message: string): Failed {
    this.#broken = message;
    return { failure: "broken", message };
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
