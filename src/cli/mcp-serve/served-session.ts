import { type Clock, within } from "../../mailbox/clock.ts";
import type { SupervisorHandle } from "../../session/options.ts";
import type { SupervisorEvent } from "../../supervisor/view.ts";
import { counted } from "../figures.ts";
import { howToGoOn, unfinishedAgents } from "../unfinished.ts";

export interface ServedSessionParts {
  /** Opens it; what happens in it is told to the listener. */
  open(onEvent: (event: SupervisorEvent) => void): Promise<SupervisorHandle>;
  readonly clock: Clock;
  note(line: string): void;
}

/** Milliseconds for closing. */
const CLOSE_MS = 10_000;

/**
 * The session of one connection. It begins with the first call that needs it: clients start every server they know of,
 * and most connections only ask what tools there are. It lives as long as the connection, so that agents can be asked
 * again, share one budget and one limit, and are seen in one place.
 */
export class ServedSession {
  readonly #parts: ServedSessionParts;
  readonly #listeners = new Set<() => void>();
  #opening: Promise<SupervisorHandle> | null = null;
  #opened: SupervisorHandle | null = null;
  #ending = false;

  constructor(parts: ServedSessionParts) {
    this.#parts = parts;
  }

  get opened(): SupervisorHandle | null {
    return this.#opened;
  }

  get(): Promise<SupervisorHandle> {
    if (this.#ending)
      return Promise.reject(new Error("This server is ending; no agent is started any more."));
    this.#opening ??= this.#open();
    return this.#opening;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Ends every agent, then the session. `leave`: they are left as they are, to be gone on with; else each has its
   * cancelled summary in the journal. False where that took too long.
   */
  async end({ leave }: { readonly leave: string | null }): Promise<boolean> {
    this.#ending = true;
    const { clock, note } = this.#parts;
    const session = await this.#opening?.catch(() => null);
    if (!session) return true;
    const unfinished = unfinishedAgents(session.tree());
    if (leave !== null) session.detach(leave);
    // Before the rest: who told us to go may not wait for it.
    if (leave !== null && unfinished.length > 0) {
      const were = unfinished.length === 1 ? "was" : "were";
      note(`${counted(unfinished.length, "agent")} ${were} still at work; ${howToGoOn(session.session)}`);
    }
    const closed = await within(clock, CLOSE_MS, session.close());
    if (!closed) note(`The session did not close within ${CLOSE_MS / 1000} s; leaving without it.`);
    return closed;
  }

  async #open(): Promise<SupervisorHandle> {
    try {
      const session = await this.#parts.open((event) => {
        if (event.type === "agent") for (const listener of [...this.#listeners]) listener();
      });
      this.#opened = session;
      return session;
    } catch (error) {
      // The next call may find things better.
      this.#opening = null;
      throw error;
    }
  }
}
