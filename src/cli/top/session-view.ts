import type { AgentView, SupervisorEvent } from "../../events/event.ts";
import { JournalEvents } from "../../features/events/journal-events.ts";
import { journalFile } from "../../journal/paths.ts";
import { readJournal } from "../../journal/reader.ts";
import type { SessionEntry } from "../../journal/sessions.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { OwnPrices } from "../../model/known-models.ts";
import { waitingIn } from "../inbox/entries.ts";

/** What a session's events say of it and of its agents so far. */
export class SessionView {
  readonly #agents = new Map<ActorId, AgentView>();
  readonly #changed = new Set<ActorId>();
  #askers: ReadonlySet<ActorId> = new Set();
  /** When it was opened or resumed last; wall time, ISO 8601. */
  startedAt = new Date(0).toISOString();
  #session: Extract<SupervisorEvent, { type: "session" }> | null = null;

  get cwd(): string {
    return this.#session?.cwd ?? "";
  }

  get model(): string {
    return this.#session?.model ?? "";
  }

  /** In the order of the spawns. */
  get agents(): readonly AgentView[] {
    return [...this.#agents.values()].map((view) =>
      this.#askers.has(view.id) && view.state !== "ended"
        ? { ...view, state: "waiting", activity: { type: "asking" } }
        : view,
    );
  }

  /** These wait for an answer of the user: no event says so. */
  setAskers(askers: ReadonlySet<ActorId>): void {
    for (const id of askers.symmetricDifference(this.#askers)) this.#changed.add(id);
    this.#askers = askers;
  }

  get costUsd(): number {
    return this.agents.reduce((sum, { costUsd }) => sum + costUsd, 0);
  }

  /** Returns the agents that changed since the last call. */
  takeChanged(): readonly AgentView[] {
    const changed = this.agents.filter(({ id }) => this.#changed.has(id));
    this.#changed.clear();
    return changed;
  }

  apply(event: SupervisorEvent): void {
    if (event.type === "session") this.#session = event;
    if (event.type !== "agent") return;
    this.#agents.set(event.view.id, event.view);
    this.#changed.add(event.view.id);
  }
}

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
