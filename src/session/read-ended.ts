import { journalFile } from "../journal/paths.ts";
import type { ActorAtRest } from "../journal/session-state.ts";
import type { ActorId } from "../mailbox/ids.ts";

/** Returns a reader of ended agents: the journal has their summaries, and so all before those. */
export function readEndedIn(folder: string): (id: ActorId) => Promise<ActorAtRest> {
  return async (id) => {
    const { readJournal } = await import("../journal/reader.ts");
    const { sessionStateOf } = await import("../journal/session-state.ts");
    const reading = await readJournal(journalFile(folder));
    if (reading.type === "refused") throw new Error(`Its conversation cannot be read: ${reading.reason}`);
    const rest = sessionStateOf(reading.records).actors.get(id);
    if (!rest) throw new Error(`Agent ${id} is not in the session's journal; start a new one.`);
    return rest;
  };
}
