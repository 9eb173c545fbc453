import type { Clock } from "../lib/clock.ts";
import { isFull, replacedSentence, syncSentence, writeSentence } from "./journal-error.ts";
import { type JournalFile, writeAll } from "./journal-file.ts";
import { sealLines } from "./lines.ts";
import type { JournalEnd } from "./reader.ts";
import type { FromWriter, WriteFailure } from "./writer-messages.ts";

export interface Entry {
  /** True if the caller waits for it; a note may wait for others. */
  readonly awaited: boolean;
  readonly text: string;
}

export interface GroupCommitPorts {
  readonly path: string;
  readonly clock: Clock;
  /** What is already in the file. */
  readonly from: JournalEnd;
  open(): JournalFile;
  /** Replaces the file by a new one: its first `keep` bytes, then `bytes`, all of it durable. */
  replace(keep: number, bytes: Uint8Array): JournalFile;
  reply(message: FromWriter): void;
}

/** How long a note waits for an append to share its fsync, in milliseconds. */
const NOTE_MS = 50;
/** A group ends here even if more is waiting, so that it always fits into one string. */
const MAX_GROUP_CHARS = 4 * 1024 * 1024;

interface Failed {
  readonly failure: WriteFailure;
  readonly message: string;
}

/**
 * Collects records and makes each group durable with one write and one fsync. Only written records get numbers, so a
 * failed group leaves no gap.
 *
 * A failed write is undone (the file is cut to its last good length) and the next group tries again, with the notes of
 * the failed one, so a session continues when the disk has room again (fault 42). After a failed fsync neither the
 * descriptor nor what was written since the last good one can be trusted: the group goes to a new file that replaces
 * the old one (fault 45). If that fails too, nothing more is written, unless the disk was full.
 */
export class GroupCommit {
  readonly #ports: GroupCommitPorts;
  #file: JournalFile | null = null;
  #seq: number;
  /** Length of the durable part. */
  #bytes: number;
  #group: Entry[] = [];
  #groupChars = 0;
  /** Notes of groups that failed. */
  #kept: Entry[] = [];
  #withdrawTimer: (() => void) | null = null;
  /** The failed fsync: the file is no longer written, only replaced. */
  #doubt: { readonly cause: unknown } | null = null;
  /** The first permanent failure. */
  #broken: string | null = null;

  constructor(ports: GroupCommitPorts) {
    this.#ports = ports;
    this.#seq = ports.from.seq;
    this.#bytes = ports.from.bytes;
  }

  /** Makes the file before it is needed. The first group retries and reports a failure. */
  begin(): void {
    try {
      this.#file ??= this.#ports.open();
    } catch {
      // The first group reports it to its caller.
    }
  }

  /** Returns whether the group has room for more. */
  add(entry: Entry): boolean {
    this.#group.push(entry);
    this.#groupChars += entry.text.length;
    return this.#groupChars < MAX_GROUP_CHARS;
  }

  /** Rejects a record that can never be written, after what came before it. */
  refuse(message: string): void {
    this.commit();
    this.#ports.reply({ type: "failed", count: 1, failure: "record", message });
  }

  /** No more is waiting: commits if a caller waits, else lets the notes wait a little. */
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
      // After a permanent failure, keeping them would only fill the memory.
      this.#kept = failed.failure === "unwritable" ? all.filter(({ awaited }) => !awaited) : [];
      this.#ports.reply({ type: "failed", count: fresh.length, ...failed });
    }
  }

  /** Writes what is left and closes the file. */
  close(): void {
    this.commit();
    this.#ports.reply({ type: "closed" });
    this.#file?.close();
    this.#file = null;
  }

  /** Returns null, or why the group was not written. */
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
      writeAll(file.write, bytes);
    } catch (error) {
      return this.#unsend(error);
    }
    try {
      file.sync();
      return null;
    } catch (error) {
      return this.#replace(bytes, error);
    }
  }

  /** A torn line must not stay in the middle of the file: what follows would be lost with it. */
  #unsend(cause: unknown): Failed {
    const message = writeSentence(this.#ports.path, cause);
    try {
      this.#file?.truncate(this.#bytes);
      return { failure: "unwritable", message };
    } catch {
      return this.#break(message);
    }
  }

  /** `cause` is the error of the fsync. */
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
      // Closing may report the lost bytes again; that is already known.
    }
    this.#file = null;
  }

  #break(message: string): Failed {
    this.#broken = message;
    return { failure: "broken", message };
  }
}
