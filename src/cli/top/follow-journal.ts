import { JournalError } from "../../journal/journal-error.ts";
import { lockHolder } from "../../journal/numbered-lock.ts";
import { journalFile } from "../../journal/paths.ts";
import type { JournalRecord } from "../../journal/session-events.ts";
import type { FoundSession } from "../../journal/sessions.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { exitCodes } from "../exit-codes.ts";
import { onStopSignals } from "../interrupts.ts";
import type { CliIO } from "../io.ts";
import { tailJournal } from "./tail-journal.ts";

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
