import type { Carrier } from "../engine/carrier.ts";
import { EngineAwayError } from "../engine/limits.ts";
import type { Sealer } from "../engine/messages.ts";
import { createSeal } from "../engine/seal.ts";
import { type Clock, pause } from "../lib/clock.ts";
import type { SessionId } from "../mailbox/ids.ts";

/** A connection to an engine. */
export interface EngineConnection {
  readonly carrier: Carrier;
  /** Shared by all sessions and runners of a fleet. */
  readonly fleetKey: Uint8Array;
  /** Resolves with a sentence when the connection has ended and cannot be used again; absent if the carrier connects again by itself. */
  readonly ended?: Promise<string>;
  /** Its only runner is one that this session has started. */
  readonly isOurs?: true;
}

/** The engine, and what seals messages to it. */
export interface OpenLine {
  readonly carrier: Carrier;
  readonly sealer: Sealer;
  /** Its only runner is one that this session has started. */
  readonly isOurs: boolean;
}

export interface EngineLineOptions {
  readonly session: SessionId;
  readonly clock: Clock;
  connect(signal: AbortSignal): Promise<EngineConnection>;
  /** Prepares a new connection. */
  onOpen(line: OpenLine): Promise<void>;
  /** What was offered over that connection is gone, and so are its runners. `isLast`: too many tries have failed in a row. */
  onLost(why: string, isLast: boolean): void;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Connections in a row that cannot be opened again, or end before a runner has sent anything: about two minutes. */
export const MOST_TRIES = 8;

/** The connection of a session to its engine, which is opened when it is needed, and again when it was lost. */
export class EngineLine {
  readonly #options: EngineLineOptions;
  readonly #closing = new AbortController();
  #opening: Promise<OpenLine> | null = null;
  #line: OpenLine | null = null;
  #wasLost = false;
  #hasSpoken = false;
  /** Tries in a row that failed since a connection was lost. */
  #failed = 0;

  constructor(options: EngineLineOptions) {
    this.#options = options;
  }

  /** Null while it is not open. */
  get current(): OpenLine | null {
    return this.#line;
  }

  /** Why agents wait while it is not open, or does not answer, as what they do. */
  get whyAway(): string {
    return this.#wasLost && this.#line === null
      ? "waits until the lost connection to its runners is started again"
      : "waits for the engine, which does not answer or is full";
  }

  /** Rejects with a sentence if it cannot be opened; the next call tries again. */
  open(): Promise<OpenLine> {
    if (this.#opening !== null) return this.#opening;
    const opening = this.#openPatiently().catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    this.#opening = opening;
    return opening;
  }

  /** A runner has sent something over it. */
  noteSpoken(): void {
    this.#hasSpoken = true;
  }

  /** What is being opened is not opened. */
  stopOpening(): void {
    if (this.#line === null) this.#closing.abort();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#opening?.catch(() => {});
    await this.#line?.carrier.close();
  }

  async #openPatiently(): Promise<OpenLine> {
    const { clock } = this.#options;
    const { signal } = this.#closing;
    for (;;) {
      const isPatient = this.#wasLost && this.#failed < MOST_TRIES;
      if (isPatient)
        await pause(clock, Math.min(FIRST_PAUSE_MS * 2 ** this.#failed, LONGEST_PAUSE_MS), signal);
      if (signal.aborted) throw new EngineAwayError("The session is being closed.");
      try {
        return await this.#connect();
      } catch (error) {
        if (this.#wasLost) this.#failed += 1;
        if (!isPatient || this.#failed >= MOST_TRIES) throw error;
      }
    }
  }

  async #connect(): Promise<OpenLine> {
    const { connect, session, onOpen } = this.#options;
    const { carrier, fleetKey, ended, isOurs = false } = await connect(this.#closing.signal);
    const line = { carrier, sealer: createSeal(fleetKey, session), isOurs };
    try {
      await onOpen(line);
    } catch (error) {
      await carrier.close();
      throw error;
    }
    this.#hasSpoken = false;
    this.#line = line;
    void ended?.then((why) => this.#lose(line, why));
    return line;
  }

  #lose(line: OpenLine, why: string): void {
    if (this.#line !== line || this.#closing.signal.aborted) return;
    this.#line = null;
    this.#opening = null;
    this.#wasLost = true;
    this.#failed = this.#hasSpoken ? 0 : this.#failed + 1;
    void line.carrier.close();
    this.#options.onLost(why, this.#failed >= MOST_TRIES);
  }
}
