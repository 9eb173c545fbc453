import type { Journal } from "../journal/journal.ts";
import { JournalError } from "../journal/journal-error.ts";
import type { SessionEvent } from "../mailbox/session-events.ts";

export interface LeavableJournal extends Journal {
  /** From now on only requests and ends are recorded: what leaving does to agents is not part of the session. */
  leave(): void;
}

type EventType = SessionEvent["type"];

/** A request of the last moment runs when the session is resumed; a summary is of an end that had begun before. */
const STILL_RECORDED: ReadonlySet<EventType> = new Set<EventType>([
  "spawn",
  "reopen",
  "prompt",
  "summary",
  "end",
]);

/** A session that is left as it is must not end in its own journal by what leaving does to its agents. */
export function detachableJournal(journal: Journal): LeavableJournal {
  let left = false;
  return {
    folder: journal.folder,
    append: (event) =>
      left && !STILL_RECORDED.has(event.type)
        ? Promise.reject(new JournalError("The session was left.", journal.folder, "closed"))
        : journal.append(event),
    note: (event) => {
      if (!left || STILL_RECORDED.has(event.type)) journal.note(event);
    },
    state: () => journal.state(),
    close: () => journal.close(),
    leave: () => {
      left = true;
    },
  };
}
