import { JournalEvents } from "../features/events/journal-events.ts";
import { journalFile } from "../journal/paths.ts";
import { readJournal } from "../journal/reader.ts";
import type { SessionEntry } from "../journal/sessions.ts";
import type { OwnPrices } from "../model/prices.ts";
import { waitingIn } from "./inbox/entries.ts";
import { SessionView } from "./top/session-view.ts";

/** A session with what it does now and what it has cost, its agents included. */
export interface ListedSession extends SessionEntry {
  /** `open`: a process has it open, and nothing runs in it. Null unless a process has it open. */
  readonly activity: "needs-input" | "paused" | "working" | "open" | null;
  /** Null if its journal does not say, or cannot be read. */
  readonly costUsd: number | null;
}

/** Reads the whole journal only of a session whose end does not say what it cost. */
export async function listedSession(
  session: SessionEntry,
  now: number,
  prices: OwnPrices = {},
): Promise<ListedSession> {
  if (session.state === "ended") return { ...session, activity: null };
  const journal = await readJournal(journalFile(session.folder));
  const view = new SessionView();
  const events = new JournalEvents(prices);
  if (journal.type === "read")
    for (const event of journal.records.flatMap((record) => events.of(record))) view.apply(event);
  return {
    ...session,
    activity: activityOf(session, view, now),
    costUsd: journal.type === "read" ? view.costUsd : null,
  };
}

function activityOf(session: SessionEntry, view: SessionView, now: number): ListedSession["activity"] {
  if (session.state !== "running") return null;
  const waiting = waitingIn(session, now);
  if (waiting.some(({ request }) => request.type !== "paused")) return "needs-input";
  if (waiting.length > 0) return "paused";
  return view.agents.every(({ state }) => state === "ended") ? "open" : "working";
}
