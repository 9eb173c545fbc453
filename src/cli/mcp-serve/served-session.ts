import type { AgentView, SupervisorEvent } from "../../events/event.ts";
import { type Clock, pause, within } from "../../lib/clock.ts";
import { nearName } from "../../lib/near-name.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import { counted } from "../../terminal/figures.ts";
import { quoted } from "../exit-codes.ts";
import { resumeHint, unfinishedAgents } from "../unfinished.ts";

export interface ServedSessionParts {
  /** Opens the session; the listener gets its events. */
  open(onEvent: (event: SupervisorEvent) => void): Promise<SupervisorHandle>;
  readonly clock: Clock;
  note(line: string): void;
  /** See `SessionSetup.engine`. */
  readonly engine: string | undefined;
}

/** Milliseconds for closing. */
const CLOSE_MS = 10_000;

/**
 * The session of one connection. It starts with the first call that needs it: clients start every server they know, and
 * most connections only list tools. It lasts as long as the connection, so that agents can be asked again, share one
 * budget and one limit, and are seen in one place.
 */
export class ServedSession {
  readonly #parts: ServedSessionParts;
  readonly #listeners = new Set<() => void>();
  #opening: Promise<SupervisorHandle> | null = null;
  #handle: SupervisorHandle | null = null;
  #isEnding = false;

  constructor(parts: ServedSessionParts) {
    this.#parts = parts;
  }

  /** Null before the first call that needs a session. */
  get handle(): SupervisorHandle | null {
    return this.#handle;
  }

  /** Rejects with a sentence if it cannot be opened, or is ending. */
  open(): Promise<SupervisorHandle> {
    if (this.#isEnding)
      return Promise.reject(new Error("This server is ending; it starts no further agents."));
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Calls back when an agent changes; the returned function removes the listener. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Finds agents, in the order of their ids. Throws a sentence. */
  find(ids: readonly string[]): readonly AgentView[] {
    const views = this.#handle?.tree() ?? [];
    return ids.map((id) => views.find((view) => view.id === id) ?? throwUnknown(id, views));
  }

  /** Resolves when all of these agents have ended, or all work; after `ms`; or when the signal is aborted. */
  async waitUntil(
    what: "ended" | "working",
    ids: readonly ActorId[],
    { ms = Number.POSITIVE_INFINITY, signal }: { readonly ms?: number; readonly signal: AbortSignal },
  ): Promise<void> {
    if (ms === 0) return;
    const reached = new AbortController();
    const check = (): void => {
      const states = (this.#handle?.tree() ?? []).flatMap(({ id, state }) =>
        ids.includes(id) ? [state] : [],
      );
      if (states.every((state) => (state === "ended") === (what === "ended"))) reached.abort();
    };
    const stopListening = this.onChange(check);
    check();
    await pause(this.#parts.clock, ms, AbortSignal.any([signal, reached.signal]));
    stopListening();
  }

  /**
   * Ends every agent, then the session. `detach`: the reason to leave agents as they are, to be resumed; otherwise each
   * has its cancelled summary in the journal. Returns false if that took too long.
   */
  async end({ detach }: { readonly detach: string | null }): Promise<boolean> {
    this.#isEnding = true;
    const { clock, note, engine } = this.#parts;
    const session = await this.#opening?.catch(() => null);
    if (!session) return true;
    const unfinished = unfinishedAgents(session.tree());
    if (detach !== null) session.detach(detach);
    // First of all: the sender of the signal may not wait for it.
    if (detach !== null && unfinished.length > 0) {
      const were = unfinished.length === 1 ? "was" : "were";
      const hint = resumeHint(session.session, undefined, undefined, { engine });
      note(`${counted(unfinished.length, "agent")} ${were} still at work; ${hint}`);
    }
    const isClosed = await within(clock, CLOSE_MS, session.close());
    if (!isClosed) note(`The session did not close within ${CLOSE_MS / 1000} s; Troupe exits without it.`);
    return isClosed;
  }

  async #open(): Promise<SupervisorHandle> {
    try {
      this.#handle = await this.#parts.open((event) => {
        if (event.type === "agent") for (const listener of [...this.#listeners]) listener();
      });
      return this.#handle;
    } catch (error) {
      // The next call tries again.
      this.#opening = null;
      throw error;
    }
  }
}

function throwUnknown(id: string, views: readonly AgentView[]): never {
  const guess = nearName(
    id,
    views.map((view) => view.id),
  );
  const advice = views.length === 0 ? "none was started yet" : "list_agents lists them";
  throw new Error(
    `There is no agent ${quoted(id)}${guess ? ` (did you mean ${guess}?)` : ""}; ${advice}, and ids are valid only in this connection.`,
  );
}
