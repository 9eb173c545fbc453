import type { Clock } from "../../lib/clock.ts";
import type { Usage } from "../../mailbox/conversation.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { MeteredRequest, Reservation } from "../../model/client.ts";
import { costOf, type OwnPrices } from "../../model/known-models.ts";
import {
  type Account,
  book,
  drawnOn,
  fill,
  openAccount,
  openWithRemainder,
  release,
  setReservation,
} from "./account.ts";
import { type Budget, type BudgetKind, KINDS, limitIn, nothing, usdOf } from "./budget.ts";
import { type Deadline, deadlineOf, type FinalTurn, limitNotice, wordsAtDeadline } from "./final-turn.ts";
import { amountsOf, prospectOf, type RequestEstimate, soundUsage } from "./request-estimate.ts";
import { Reservations } from "./reservations.ts";
import { type BudgetHolder, notEnough } from "./spawn-limits.ts";

export interface Opening {
  readonly actor: ActorId;
  /** Null or unknown: it draws on the session. */
  readonly parent: ActorId | null;
  /** Its own; for an absent limit it draws on the nearest allowance above that has one. */
  readonly budget?: Budget;
  /**
   * The estimate of its first request: an agent without enough for it does not start, and its last request is
   * reserved.
   */
  readonly first?: RequestEstimate;
}

/** What an agent and everything below it have used. */
export interface Used {
  readonly usd: number;
  readonly tokens: number;
  readonly turns: number;
}

/** An allowance as an agent sees it; Infinity for no limit. Spent, set aside and left add up to the limit. */
export interface Balance {
  readonly limit: number;
  readonly spent: number;
  /** Reserved by running agents below, and not spent yet. */
  readonly setAside: number;
  /** Never negative, though a last reply may have cost more than was left. */
  readonly left: number;
}

export interface Spent {
  /** The model that was asked for. */
  readonly asked?: string;
  readonly reservation?: number;
  readonly broken?: boolean;
}

export interface Booked {
  readonly usd: number;
  readonly costKnown: boolean;
  /** A warning that a model's price is not known, once for each model. */
  readonly note: string | null;
}

/**
 * Budgets as escrow (C5, D5): an agent's budget is taken from its parent's allowance at its start, and the rest is
 * returned when it and everything below it have ended. Money never exceeds a limit: it is held before each request.
 * Tokens and turns may exceed theirs by one reply of each running agent, since a reply's usage is known only
 * afterwards. Owns no timer; one object for each session.
 */
export class BudgetLedger {
  readonly #session: Account;
  readonly #accounts = new Map<ActorId, Account>();
  /** Usage of agents that were resumed after their allowances had been returned. */
  readonly #earlier = new Map<ActorId, Used>();
  readonly #prices: OwnPrices;
  readonly #clock: Pick<Clock, "now">;
  readonly #reservations: Reservations;
  /** Models without a price whose warning was given. */
  readonly #unpriced = new Set<string>();

  constructor(budget: Budget, { clock, prices = {} }: { clock: Pick<Clock, "now">; prices?: OwnPrices }) {
    this.#session = openAccount(null, null, budget);
    this.#session.startedAt = clock.now();
    this.#prices = prices;
    this.#clock = clock;
    this.#reservations = new Reservations((actor) => this.#find(actor), prices);
  }

  /**
   * Takes an agent's budget from its parent's allowance, and returns null; or takes nothing and returns what is left, and
   * what to do, for the model. Keeps one that is open.
   */
  open(opening: Opening): string | null {
    if (this.#goesOn(opening.actor)) return null;
    const parent = this.#find(opening.parent);
    for (const kind of KINDS) {
      const { owner, allowance } = drawnOn(parent, kind);
      const own = limitIn(opening.budget ?? {}, kind);
      const needed = own ?? this.#firstOf(opening, kind);
      const free = allowance.limit - allowance.committed - allowance.promised;
      if (free >= needed && (own !== undefined || free > 0)) continue;
      return notEnough({ kind, needed, free, limit: allowance.limit, whose: holderOf(owner) });
    }
    this.adopt(opening);
    return null;
  }

  /** Opens without a check: for the main conversation, and for agents resumed from a journal. */
  adopt({ actor, parent, budget = {}, first }: Opening): void {
    if (this.#goesOn(actor)) return;
    if (this.#accounts.has(actor)) this.#earlier.set(actor, this.spent(actor));
    const account = openAccount(actor, this.#find(parent), budget);
    fill(account);
    openWithRemainder(account);
    this.#accounts.set(actor, account);
    if (first) setReservation(account, [], prospectOf(first, this.#prices).lastNow);
  }

  /** Starts its time. Only the first call counts. */
  begin(actor: ActorId): void {
    const account = this.#accounts.get(actor);
    if (account) account.startedAt ??= this.#clock.now();
  }

  /**
   * Called before each request. Returns null for an ordinary one, or that it must be the last, for the summary (if
   * `silent`, no request must be sent). Either way its cost is reserved until `spend` books it, so that agents with
   * one allowance do not spend the same money twice.
   */
  decideLastTurn(actor: ActorId, estimate: RequestEstimate): FinalTurn | null {
    const account = this.#accounts.get(actor);
    if (!account || account.released) return null;
    const { next, lastNow, lastLater, lastUncached } = prospectOf(estimate, this.#prices);
    const words =
      this.#limitReached(account, (kind) => ({
        likely: next[kind] + lastLater[kind],
        most: kind === "usd" ? next.usd + lastUncached.usd : 0,
      })) ?? this.#late(account, estimate);
    if (words?.silent) setReservation(account, [], nothing);
    else if (words) setReservation(account, [...account.asked.slice(-1), lastNow], nothing);
    else setReservation(account, [...account.asked.slice(-1), next], lastLater);
    return words;
  }

  /** Resolves with the most that a request may cost, or why it must not be sent. Never rejects. */
  reserve(request: MeteredRequest, lead: boolean, signal: AbortSignal): Promise<Reservation> {
    return this.#reservations.reserve(request, lead, signal);
  }

  /** Releases a request that was not used. */
  unused(reservation: number): void {
    this.#reservations.settle(reservation);
    this.#reservations.retry();
  }

  /** Releases all requests in flight, which are lost with their gateway. */
  lost(): void {
    this.#reservations.settleAll();
  }

  /** Books one reply, even if its agent has ended or the reply was cut off. */
  spend(
    actor: ActorId,
    named: string,
    counted: Usage,
    { asked = named, reservation, broken = false }: Spent = {},
  ): Booked {
    const account = this.#find(actor);
    const usage = soundUsage(counted);
    // A server may report another name for its model: then the price is that of the requested one.
    const model = costOf(named, usage, this.#prices).costKnown ? named : asked;
    const { usd, costKnown } = costOf(model, usage, this.#prices);
    if (account.asked.length > 0 && !broken) setReservation(account, account.asked.slice(1), account.kept);
    const amounts = amountsOf(model, usage, this.#prices);
    book(account, broken ? { ...amounts, turns: 0 } : amounts);
    if (reservation !== undefined) this.#reservations.settle(reservation);
    this.#reservations.retry();
    if (costKnown || this.#unpriced.has(model)) return { usd, costKnown, note: null };
    this.#unpriced.add(model);
    const note = `The price of ${model} is not known, so its replies count in tokens and turns only, and no limit in dollars holds for it; set it under troupe.prices.`;
    return { usd, costKnown, note };
  }

  /** Returns the rest of an ended agent's budget. Idempotent. */
  release(actor: ActorId): void {
    const account = this.#accounts.get(actor);
    if (account) release(account);
    this.#reservations.retry();
  }

  /** Returns what the agent and everything below it spent in all its runs, or the session if null. */
  spent(actor: ActorId | null): Used {
    const { usd, tokens, turns } =
      (actor === null ? this.#session : this.#accounts.get(actor))?.spent ?? nothing;
    const earlier = (actor === null ? undefined : this.#earlier.get(actor)) ?? nothing;
    return { usd: usdOf(usd) + earlier.usd, tokens: tokens + earlier.tokens, turns: turns + earlier.turns };
  }

  /** Returns what the agent may still use, of its own allowance or the one it draws on; Infinity for no limit. */
  left(actor: ActorId | null): Required<Budget> {
    const left = (kind: BudgetKind) => this.balance(actor, kind).left;
    const ms = Math.max(0, deadlineOf(this.#find(actor), this.#clock.now())?.ms ?? Number.POSITIVE_INFINITY);
    return { usd: left("usd"), tokens: left("tokens"), turns: left("turns"), ms };
  }

  balance(actor: ActorId | null, kind: BudgetKind): Balance {
    const { owner, allowance } = drawnOn(this.#find(actor), kind);
    const { limit, committed } = allowance;
    const spent = owner.spent[kind];
    const inUnit = kind === "usd" ? usdOf : (value: number) => value;
    return {
      limit: inUnit(limit),
      spent: inUnit(spent),
      setAside: inUnit(committed - spent),
      left: inUnit(Math.max(0, limit - committed)),
    };
  }

  /** Returns its nearest deadline, or null. For a timer at its start, after `begin`. */
  deadline(actor: ActorId | null): Deadline | null {
    return deadlineOf(this.#find(actor), this.#clock.now());
  }

  /** `likely`: next to what is reserved for others; `most`: as if nothing were reserved for others. */
  #limitReached(
    account: Account,
    need: (kind: BudgetKind) => { readonly likely: number; readonly most: number },
  ): FinalTurn | null {
    const reached = KINDS.flatMap((kind) => {
      const { owner, allowance } = drawnOn(account, kind);
      const left = allowance.limit - allowance.committed;
      const { likely, most } = need(kind);
      if (left - (allowance.promised - account.kept[kind]) >= likely && left >= most) return [];
      const spent = owner.spent[kind];
      const setAside = allowance.committed - spent;
      const whose = owner === account ? "own" : holderOf(owner);
      const silent = left <= 0 && account.unkept.has(kind);
      return [limitNotice({ kind, spent, setAside, limit: allowance.limit, whose, silent })];
    });
    return reached.find(({ silent }) => silent) ?? reached[0] ?? null;
  }

  #late(account: Account, { replyMs = 0 }: RequestEstimate): FinalTurn | null {
    const deadline = deadlineOf(account, this.#clock.now());
    // Two replies: this one, and the summary after it.
    const isTimeFor = deadline === null || (deadline.ms > 0 && !(deadline.ms < 2 * replyMs));
    return isTimeFor ? null : wordsAtDeadline(deadline);
  }

  #firstOf({ first }: Opening, kind: BudgetKind): number {
    if (first === undefined) return 0;
    const { next, lastLater } = prospectOf(first, this.#prices);
    return next[kind] + lastLater[kind];
  }

  /** True if it has an account, even a released one, as long as its allowances exist. */
  #goesOn(actor: ActorId): boolean {
    const known = this.#accounts.get(actor);
    if (known === undefined || known.closed) return false;
    // Its allowances are as it left them; its time is not.
    if (known.released) {
      known.startedAt = null;
      openWithRemainder(known);
    }
    known.released = false;
    return true;
  }

  #find(actor: ActorId | null): Account {
    return (actor === null ? undefined : this.#accounts.get(actor)) ?? this.#session;
  }
}

function holderOf({ id }: Account): BudgetHolder {
  return id === null ? "session" : "agent";
}
