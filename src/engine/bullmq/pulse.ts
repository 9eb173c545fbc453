import { type Clock, within } from "../../lib/clock.ts";
import { EngineAwayError } from "../limits.ts";

const PING_EVERY_MS = 2000;
const PING_ENDS_MS = 5000;
const CALL_ENDS_MS = 10_000;

/** Knows whether the server answers, and ends every call to it. */
export class Pulse {
  isUp = true;
  private readonly listeners: Array<(isUp: boolean) => void> = [];
  private readonly closed = new AbortController();
  private pinging: Promise<void> | null = null;
  private cancelNext: (() => void) | null = null;
  private readonly ping: () => Promise<void>;
  private readonly clock: Clock;

  constructor(ping: () => Promise<void>, clock: Clock) {
    this.ping = ping;
    this.clock = clock;
    this.schedule();
  }

  onChange(listener: (isUp: boolean) => void): void {
    this.listeners.push(listener);
  }

  /** Aborted when this is closed. */
  get signal(): AbortSignal {
    return this.closed.signal;
  }

  /** Looks now whether the server answers. */
  check(): Promise<void> {
    this.pinging ??= this.look().finally(() => {
      this.pinging = null;
      this.schedule();
    });
    return this.pinging;
  }

  /** Runs a call to the server. Rejects immediately while it is away, and at the latest after `ms`. */
  async call<T>(work: () => Promise<T>, ms = CALL_ENDS_MS): Promise<T> {
    if (this.closed.signal.aborted) throw new EngineAwayError("This connection to the engine is closed.");
    if (!this.isUp) throw new EngineAwayError("The engine is away.");
    const working = work();
    if (!(await within(this.clock, ms, working))) {
      working.catch(() => {});
      void this.check();
      throw new EngineAwayError(`The engine did not answer within ${ms / 1000} s.`);
    }
    return working.catch((error: unknown) => {
      if (isRefusal(error)) throw new Error(`The engine refused this: ${error.message}`);
      void this.check();
      throw new EngineAwayError(`The engine is away: ${error instanceof Error ? error.message : error}`);
    });
  }

  close(): void {
    this.closed.abort();
    this.cancelNext?.();
    this.set(false);
    this.listeners.length = 0;
  }

  private async look(): Promise<void> {
    if (this.closed.signal.aborted) return;
    const pinged = this.ping().then(
      () => true,
      () => false,
    );
    const isUp = (await within(this.clock, PING_ENDS_MS, pinged)) && (await pinged);
    if (!this.closed.signal.aborted) this.set(isUp);
  }

  private set(isUp: boolean): void {
    if (isUp === this.isUp) return;
    this.isUp = isUp;
    for (const listener of this.listeners) listener(isUp);
  }

  private schedule(): void {
    this.cancelNext?.();
    if (!this.closed.signal.aborted)
      this.cancelNext = this.clock.after(
        this.isUp ? PING_EVERY_MS : PING_EVERY_MS / 4,
        () => void this.check(),
      );
  }
}

/** True if the server answered, and its answer was no, such as a missing permission. A full memory or disk passes, as an outage does. */
function isRefusal(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error.name === "ReplyError")
    return !/^(?:LOADING|MASTERDOWN|READONLY|TRYAGAIN|CLUSTERDOWN|OOM|MISCONF)\b/.test(error.message);
  // Classes 08, 53 and 57 of PostgreSQL say that it cannot be reached, has no room or connection left, or is shutting down.
  return "severity" in error && "code" in error && !/^(?:08|57P|53)/.test(String(error.code));
}
