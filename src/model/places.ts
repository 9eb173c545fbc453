import type { Clock } from "../mailbox/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";

/** Milliseconds between two requests after a pause, so that all who waited do not start at once. */
const APART_MS = 50;

/** How waiting for a place ended. `pausedMs` is what the servers' pauses cost of it. */
export type Placed =
  | { readonly type: "place"; readonly pausedMs: number; readonly release: () => void }
  | { readonly type: "out-of-patience"; readonly pausedMs: number }
  | { readonly type: "cancelled" };

export interface Wanted {
  readonly actor: ActorId;
  /** Served before all others. */
  readonly lead: boolean;
  /** Milliseconds of pauses this one can bear; waiting for a free place is not counted. */
  readonly patienceMs: number;
  /** A pause of so many milliseconds lies ahead. */
  readonly onPaused: (ms: number, reason: string) => void;
  readonly signal: AbortSignal;
}

interface Ticket extends Wanted {
  pausedMs: number;
  readonly settle: (placed: Placed) => void;
}

/**
 * The limited number of requests that may run at once: the lead first, then the actors in turn, each
 * actor's own in order. A pause holds back everyone; after it places are given out one by one.
 */
export class Places {
  private readonly clock: Clock;
  private readonly limit: number;
  private readonly lead: Ticket[] = [];
  /** In the order in which actors are served; whoever was served goes to the end. */
  private readonly others = new Map<ActorId, Ticket[]>();
  private taken = 0;
  private notBefore = 0;
  private pauseReason = "";
  private pausedUntil = 0;
  private gently = 0;
  private withdraw: (() => void) | undefined;

  constructor(clock: Clock, limit: number) {
    this.clock = clock;
    this.limit = limit;
  }

  /** Settles exactly once, whatever happens; an aborted signal withdraws the request at once. */
  take(wanted: Wanted): Promise<Placed> {
    return new Promise((resolve) => {
      if (wanted.signal.aborted) return resolve({ type: "cancelled" });
      const cancel = () => {
        this.remove(ticket);
        ticket.settle({ type: "cancelled" });
      };
      const ticket: Ticket = {
        ...wanted,
        pausedMs: 0,
        settle(placed) {
          wanted.signal.removeEventListener("abort", cancel);
          resolve(placed);
        },
      };
      wanted.signal.addEventListener("abort", cancel, { once: true });
      this.add(ticket);
      this.delay(ticket, this.pausedUntil - this.clock.now());
      this.give();
    });
  }

  /** Nobody starts for `ms` from now. A shorter pause than the present one changes nothing. */
  pause(ms: number, reason: string): void {
    const now = this.clock.now();
    const until = now + ms;
    this.gently = this.limit;
    if (until <= this.pausedUntil) return;
    const longer = until - Math.max(now, this.pausedUntil);
    this.pausedUntil = until;
    this.pauseReason = reason;
    this.notBefore = Math.max(this.notBefore, until);
    for (const ticket of this.waiting()) this.delay(ticket, longer);
  }

  private delay(ticket: Ticket, ms: number): void {
    if (ms <= 0) return;
    if (ticket.pausedMs + ms > ticket.patienceMs) {
      this.remove(ticket);
      ticket.settle({ type: "out-of-patience", pausedMs: ticket.pausedMs });
      return;
    }
    ticket.pausedMs += ms;
    ticket.onPaused(this.pausedUntil - this.clock.now(), this.pauseReason);
  }

  private give(): void {
    while (this.taken < this.limit) {
      const now = this.clock.now();
      if (now < this.notBefore) {
        this.giveLater(this.notBefore - now);
        return;
      }
      const ticket = this.next();
      if (!ticket) return;
      this.taken += 1;
      if (this.gently > 0) {
        this.gently -= 1;
        this.notBefore = now + APART_MS;
      }
      ticket.settle({ type: "place", pausedMs: ticket.pausedMs, release: this.releaseOnce() });
    }
  }

  private giveLater(ms: number): void {
    this.stopTimer();
    if (this.lead.length === 0 && this.others.size === 0) return;
    this.withdraw = this.clock.after(ms, () => {
      this.withdraw = undefined;
      this.give();
    });
  }

  private stopTimer(): void {
    this.withdraw?.();
    this.withdraw = undefined;
  }

  private releaseOnce(): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.taken -= 1;
      this.give();
    };
  }

  private next(): Ticket | undefined {
    const lead = this.lead.shift();
    if (lead) return lead;
    for (const [actor, tickets] of this.others) {
      this.others.delete(actor);
      const ticket = tickets.shift();
      if (tickets.length > 0) this.others.set(actor, tickets);
      if (ticket) return ticket;
    }
    return undefined;
  }

  private add(ticket: Ticket): void {
    if (ticket.lead) this.lead.push(ticket);
    else {
      const tickets = this.others.get(ticket.actor);
      if (tickets) tickets.push(ticket);
      else this.others.set(ticket.actor, [ticket]);
    }
  }

  private remove(ticket: Ticket): void {
    const tickets = ticket.lead ? this.lead : (this.others.get(ticket.actor) ?? []);
    const at = tickets.indexOf(ticket);
    if (at >= 0) tickets.splice(at, 1);
    if (!ticket.lead && tickets.length === 0) this.others.delete(ticket.actor);
    // A timer that nobody waits for would only keep the process alive.
    if (this.lead.length === 0 && this.others.size === 0) this.stopTimer();
  }

  private *waiting(): Iterable<Ticket> {
    yield* [...this.lead];
    for (const tickets of [...this.others.values()]) yield* [...tickets];
  }
}
