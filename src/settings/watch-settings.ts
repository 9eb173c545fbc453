import { errorMessage } from "../lib/errors.ts";
import { type Clock, pause } from "../mailbox/clock.ts";
import { canonicalJson } from "./json.ts";
import type { ReadSettings } from "./read-settings.ts";
import { FolderWatchers } from "./watch-files.ts";

/** Milliseconds in which further events belong to the same change: an editor makes several of one. */
const QUIET_MS = 100;

export interface SettingsWatch<T extends ReadSettings> {
  /** What is known already, with its files: only what differs from it is a change. */
  readonly known: T;
  read(): Promise<T>;
  onChange(fresh: T): void;
  /** A sentence: changes are not seen from now on, or not all of them. */
  onProblem(sentence: string): void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Reads the settings anew whenever one of their files changes, until the signal is aborted. Nothing is polled.
 * One reading at a time; a change during one is followed by another.
 */
export function watchSettings<T extends ReadSettings>(watched: SettingsWatch<T>): void {
  const { clock, signal, read, onChange, onProblem } = watched;
  let known = wordsOf(watched.known);
  let pending = false;
  let busy = false;

  const watchers = new FolderWatchers({
    files: watched.known.files,
    signal,
    onEvent() {
      pending = true;
      if (!busy) void renew();
    },
    onFailure: (reason) =>
      onProblem(`${reason}, so changes of settings there count only in the next session.`),
  });

  async function renew(): Promise<void> {
    busy = true;
    try {
      while (pending && !signal.aborted) {
        await pause(clock, QUIET_MS, signal);
        pending = false;
        // Before the reading, or what is changed between the two would be missed.
        watchers.renew();
        if (!signal.aborted) await readOnce();
      }
    } catch (error) {
      onProblem(`A change of settings could not be read: ${errorMessage(error)}`);
    } finally {
      busy = false;
    }
  }

  async function readOnce(): Promise<void> {
    const fresh = await read();
    const now = wordsOf(fresh);
    if (signal.aborted || now === known) return;
    known = now;
    onChange(fresh);
  }
}

/** The same for settings that say the same. Leaves say nothing more, and their checks are no data. */
function wordsOf(read: ReadSettings): string {
  return canonicalJson({ ...read, leaves: [] });
}
