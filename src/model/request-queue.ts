import type { Clock } from "../lib/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { ModelPause } from "../mailbox/model.ts";
import { CachedPrefixes } from "./cached-prefixes.ts";
import type { ModelOutcome } from "./client.ts";
import type { HoldRequest, Moment } from "./hold.ts";
import { Throttle } from "./throttle.ts";

/** A place that was given. */
export interface QueueSlot {
  readonly type: "place";
  /** What the server's pauses cost of the retry budget, with the wait for a server that let in no request. */
  readonly pausedMs: number;
  /** It finds out whether its model answers again. */
  readonly probe: boolean;
  /** Its model was held while it waited. */
  readonly wasHeld: boolean;
  /** The server has begun to answer. */
  answered(accepted: boolean): void;
  /** The attempt is over, and others may have the place; to be called once. */
  release(outcome: ModelOutcome): void;
}

/** How waiting for a place ended. */
export type Placed =
  | QueueSlot
  | { readonly type: "out-of-patience"; readonly pausedMs: number }
  | { readonly type: "cancelled" };

export interface QueueRequest {
  readonly actor: ActorId;
  /** Each model has limits of its own. */
  readonly model: string;
  /** The start of the prompt that its server keeps, or null; see `prefixReader`. */
  readonly prefix: string | null;
  /** Served before all others. */
  readonly lead: boolean;
  /** It was refused or failed before. */
  readonly retry: boolean;
  /** Milliseconds of pauses this one can bear; waiting for a free place is not counted. */
  readonly patienceMs: number;
  /** A pause of `ms` milliseconds starts. */
  readonly onPaused: (ms: number, reason: string) => void;
  /** Its model is held, which costs no patience. */
  readonly onHeld: (pause: ModelPause) => void;
  readonly signal: AbortSignal;
}

interface Ticket extends QueueRequest {
  readonly throttle: Throttle;
  readonly since: number;
  pausedMs: number;
  wasHeld: boolean;
  readonly settle: (placed: Placed) => void;
}

/** Sleep and a clock that was set are noticed after at most this time. */
const LOOK_AGAIN_MS = 30_000;

/**
 * Who asks next: the lead first, then the actors in turn, each actor's own in order; whose model is closed
 * for now is passed over. At most `limit` requests run concurrently, and each model's throttle says how many of
 * its own, and when.
 */
export class RequestQueue {
  private readonly clock: Clock;
  private readonly random: () => number;
  private readonly limit: number;
  private readonly throttles = new Map<string, Throttle>();
  private readonly prefixes = new CachedPrefixes();
  private readonly lead: Ticket[] = [];
  /** In the order in which actors are served; an actor that was served goes to the end. */
  private readonly others = new Map<ActorId, Ticket[]>();
  private taken = 0;
  private withdraw: (() => void) | undefined;

  constructor(clock: Clock, random: () => number, limit: number) {
    this.clock = clock;
    this.random = random;
    this.limit = limit;
  }

  /** Settles exactly once, whatever happens; an aborted signal withdraws the request immediately. */
  take(wanted: QueueRequest): Promise<Placed> {
    return new Promise((resolve) => {
      if (wanted.signal.aborted) return resolve({ type: "cancelled" });
      const cancel = () => {
        this.remove(ticket);
        ticket.settle({ type: "cancelled" });
      };
      const ticket: Ticket = {
        ...wanted,
        throttle: this.throttle(wanted.model),
        since: this.clock.now(),
        pausedMs: 0,
        wasHeld: false,
        settle(placed) {
          wanted.signal.removeEventListener("abort", cancel);
          resolve(placed);
        },
      };
      wanted.signal.addEventListener("abort", cancel, { once: true });
      this.add(ticket);
      this.tellHeld(ticket);
      this.delay(ticket, ticket.throttle.pausedUntil - this.clock.now());
      this.give();
    });
  }

  /** No request to this model starts for `ms` from now. A shorter pause than the present one changes nothing. */
  pause(model: string, ms: number, reason: string): void {
    const throttle = this.throttle(model);
    const longer = throttle.pause(ms, reason, this.clock.now());
    if (longer === 0) return;
    for (const ticket of this.waiting()) if (ticket.throttle === throttle) this.delay(ticket, longer);
  }

  /** Holds the model. Returns false if it would be held for too long: then all that wait for it are out of patience. */
  hold(model: string, request: HoldRequest): boolean {
    const throttle = this.throttle(model);
    const isNew = throttle.hold.start(request, this.moment());
    if (isNew === false) return true;
    for (const ticket of this.waiting()) {
      if (ticket.throttle !== throttle) continue;
      if (isNew) this.tellHeld(ticket);
      else this.endPatience(ticket);
    }
    return isNew !== null;
  }

  /** It was held when the session was left. */
  restore({ model, ...pause }: ModelPause): void {
    this.throttle(model).hold.restore(pause, this.moment());
  }

  hasWorked(model: string): boolean {
    return this.throttle(model).hasWorked;
  }

  private moment(): Moment {
    return { now: this.clock.now(), wall: Date.parse(this.clock.date()) };
  }

  private tellHeld(ticket: Ticket): void {
    const { pause } = ticket.throttle.hold;
    if (pause === null) return;
    ticket.wasHeld = true;
    ticket.onHeld({ model: ticket.model, ...pause });
  }

  private throttle(model: string): Throttle {
    const known = this.throttles.get(model);
    if (known) return known;
    const made = new Throttle(this.random);
    this.throttles.set(model, made);
    return made;
  }

  private delay(ticket: Ticket, ms: number): void {
    if (ms <= 0) return;
    if (ticket.pausedMs + ms > ticket.patienceMs) {
      this.endPatience(ticket);
      return;
    }
    ticket.pausedMs += ms;
    const { pausedUntil, pauseReason } = ticket.throttle;
    ticket.onPaused(pausedUntil - this.clock.now(), pauseReason);
  }

  private endPatience(ticket: Ticket): void {
    this.remove(ticket);
    ticket.settle({ type: "out-of-patience", pausedMs: ticket.pausedMs });
  }

  private give(): void {
    this.stopTimer();
    while (this.taken < this.limit) {
      const moment = this.moment();
      const next = this.next(moment);
      if (next.ticket) {
        this.remove(next.ticket);
        this.start(next.ticket, moment.now);
      } else {
        if (Number.isFinite(next.at)) this.giveAt(next.at, moment.now);
        return;
      }
    }
  }

  private giveAt(at: number, now: number): void {
    this.withdraw = this.clock.after(Math.min(at - now, LOOK_AGAIN_MS), () => {
      this.withdraw = undefined;
      this.give();
    });
  }

  private stopTimer(): void {
    this.withdraw?.();
    this.withdraw = undefined;
  }

  private start(ticket: Ticket, now: number): void {
    const { actor, lead, throttle } = ticket;
    const left = this.others.get(actor);
    if (!lead && left) {
      this.others.delete(actor);
      this.others.set(actor, left);
    }
    this.taken += 1;
    const flight = throttle.sent(ticket.retry, now);
    const use = this.prefixes.start(ticket.prefix, now);
    const stuck = ticket.retry && throttle.lastAcceptedAt <= ticket.since;
    ticket.settle({
      type: "place",
      ...{ probe: flight.probe, wasHeld: ticket.wasHeld },
      pausedMs: stuck ? Math.max(ticket.pausedMs, now - ticket.since) : ticket.pausedMs,
      answered: (accepted) => {
        throttle.answered(flight, accepted, this.clock.now());
        if (accepted) use.begin(this.clock.now());
        this.give();
      },
      release: (outcome) => {
        if (flight.state === "over") return;
        throttle.ended(flight, outcome, this.clock.now());
        if (outcome.type === "reply") use.begin(this.clock.now());
        else use.end();
        this.taken -= 1;
        this.give();
      },
    });
  }

  /** Returns the request that may start now, or when the next one may. */
  private next(moment: Moment): { readonly ticket?: Ticket; readonly at: number } {
    let first = Number.POSITIVE_INFINITY;
    for (const ticket of this.heads()) {
      // The lead's retry does not wait for other retries.
      const at = Math.max(
        ticket.throttle.opensAt(ticket.retry && !ticket.lead, moment),
        this.prefixOpensAt(ticket, moment),
      );
      if (at <= moment.now) return { ticket, at };
      first = Math.min(first, at);
    }
    return { at: first };
  }

  private prefixOpensAt({ lead, prefix, since, throttle }: Ticket, { now }: Moment): number {
    // The user waits for the lead, and a pause is no wait for another request.
    return this.prefixes.opensAt(lead ? null : prefix, Math.max(since, throttle.pausedUntil), now);
  }

  private *heads(): Iterable<Ticket> {
    yield* this.lead;
    for (const [ticket] of this.others.values()) if (ticket) yield ticket;
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
    // A timer without a request would only keep the process alive.
    if (this.lead.length === 0 && this.others.size === 0) this.stopTimer();
  }

  private *waiting(): Iterable<Ticket> {
    yield* [...this.lead];
    for (const tickets of [...this.others.values()]) yield* [...tickets];
  }
}
