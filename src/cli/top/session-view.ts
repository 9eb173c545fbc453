import type { AgentView, SupervisorEvent } from "../../events/event.ts";
import type { ActorId } from "../../mailbox/ids.ts";

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
