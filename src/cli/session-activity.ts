import { journalFile } from "../journal/paths.ts";
import { readJournal } from "../journal/reader.ts";
import type { SessionEntry } from "../journal/sessions.ts";
import type { OwnPrices } from "../model/prices.ts";
import { waitingIn } from "./inbox/entries.ts";
import { SessionView } from "./top/session-view.ts";

/** A session with what it does now and what it has cost, its agents included. */
export interface ListedSession extends SessionEntry {
  /** Null unless a process has it open. */
  readonly activity: "needs-input" | "paused" | "working" | null;
  /** Null if its journal does not say, or cannot be read. */
  readonly costUsd: number | null;
}

/** Reads the whole journal only of a session whose end does not say what it cost. */
export async function listedSession(
  session: SessionEntry,
  now: number,
  prices: OwnPrices = {},
): Promise<ListedSession> {
  return {
    ...session,
    activity: activityOf(session, now),
    costUsd: session.costUsd ?? (await costSoFar(session, prices)),
  };
}

function activityOf(session: SessionEntry, now: number): ListedSession["activity"] {
  if (session.state !== "running") return null;
  const waiting = waitingIn(session, now);
  if (waiting.some(({ request }) => request.type !== "paused")) return "needs-input";
  return waiting.length > 0 ? "paused" : "working";
}

async function costSoFar(session: SessionEntry, prices: OwnPrices = {}): Promise<number | null> {
  if (session.state === "ended") return null;
  const journal = await readJournal(journalFile(session.folder));
  if (journal.type === "refused") return null;
  const view = new SessionView(prices);
  for (const record of journal.records) view.apply(record);
  return view.costUsd;
}
