import type { Journal } from "../journal/journal.ts";
import { JournalError } from "../journal/journal-error.ts";

export interface LeavableJournal extends Journal {
  /** From now on nothing is recorded: what happens to a session that is left is no part of it. */
  leave(): void;
}

/** A session that is left as it is must not end in its own journal by what leaving does to its agents. */
export function untilLeft(journal: Journal): LeavableJournal {
  let left = false;
  return {
    folder: journal.folder,
    append: (event) =>
      left
        ? Promise.reject(new JournalError("The session was left.", journal.folder, "closed"))
        : journal.append(event),
    note: (event) => {
      if (!left) journal.note(event);
    },
    state: () => journal.state(),
    close: () => journal.close(),
    leave: () => {
      left = true;
    },
  };
}
