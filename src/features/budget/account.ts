import type { ActorId } from "../../mailbox/ids.ts";
import { type Amounts, type Budget, KINDS, type Kind, limitIn, nothing } from "./budget.ts";

/** What one agent may use of one kind, with everything below it that has no purse of its own. */
export interface Allowance {
  readonly limit: number;
  /** Spent from it, and set aside in purses below. Money stays within the limit, other kinds may pass it by a reply. */
  committed: number;
  /** The most that requests may cost which are on their way (money only). */
  held: number;
  /** Of what is promised: for summaries. */
  kept: number;
  /** Kept for requests on their way, and for the summaries of those who draw on it. */
  promised: number;
}

/** One agent, or (id null) the session itself, which everything belongs to. */
export interface Account {
  readonly id: ActorId | null;
  readonly parent: Account | null;
  readonly purses: Readonly<Record<Kind, Allowance | null>>;
  /** Milliseconds from its start; null: no end of its own. */
  readonly ms: number | null;
  startedAt: number | null;
  /** Of itself and everything below it, ended or not. */
  spent: Amounts;
  /** Requests that may go on their way or have, oldest first, as far as their cost is not booked. */
  asked: readonly Amounts[];
  /** For its summary. */
  kept: Amounts;
  /** Kinds in which no summary is kept for it: its own reply has passed the limit, or all was gone when it began. */
  readonly unkept: Set<Kind>;
  released: boolean;
  /** Released, and everything below it too: its purses have gone back. */
  closed: boolean;
  /** Accounts right below it that are not closed. */
  below: number;
  /** Its requests that are on their way and hold money. */
  holds: number;
}

export function openAccount(id: ActorId | null, parent: Account | null, budget: Budget): Account {
  const purse = (kind: Kind): Allowance | null => {
    const limit = limitIn(budget, kind);
    if (limit === undefined) return parent === null ? emptyPurse(Number.POSITIVE_INFINITY) : null;
    return emptyPurse(limit);
  };
  const { ms } = budget;
  return {
    id,
    parent,
    purses: { usd: purse("usd"), tokens: purse("tokens"), turns: purse("turns") },
    ms: ms === undefined || ms === Number.POSITIVE_INFINITY ? null : ms > 0 ? ms : 0,
    startedAt: null,
    spent: nothing,
    asked: [],
    kept: nothing,
    unkept: new Set(),
    released: false,
    closed: false,
    below: 0,
    holds: 0,
  };
}

/** It begins, or goes on: where all is gone it gets not even a last word, or each new beginning would have one. */
export function openWithRemainder(account: Account): void {
  for (const kind of KINDS) {
    const { purse } = drawnOn(account, kind);
    if (purse.committed >= purse.limit) account.unkept.add(kind);
  }
}

function emptyPurse(limit: number): Allowance {
  return { limit, committed: 0, held: 0, kept: 0, promised: 0 };
}

/** Sets aside what an account's purses hold: they are filled from those above. */
export function fill(account: Account): void {
  if (account.parent === null) return;
  for (const kind of KINDS) {
    const purse = account.purses[kind];
    if (purse) charge(account.parent, kind, purse.limit);
  }
  account.parent.below += 1;
}

/** Where an account's costs of a kind go, and whose that is. The session's own purse is there for all. */
export function drawnOn(
  account: Account,
  kind: Kind,
): { readonly owner: Account; readonly purse: Allowance } {
  for (let owner: Account | null = account; owner !== null; owner = owner.parent) {
    const purse = owner.closed ? null : owner.purses[kind];
    if (purse) return { owner, purse };
  }
  throw new Error("The session itself has no purse.");
}

/**
 * Commits so much more (or less) of what the account draws on. What passes the limit of a purse is spent all the
 * same, so whoever filled the purse pays for it.
 */
export function charge(account: Account, kind: Kind, amount: number): void {
  const { owner, purse } = drawnOn(account, kind);
  const before = heldBy(purse);
  purse.committed += amount;
  const more = heldBy(purse) - before;
  if (more !== 0 && owner.parent !== null) charge(owner.parent, kind, more);
}

/** What a purse keeps from the one above. */
function heldBy({ limit, committed }: Allowance): number {
  return Math.max(limit, committed);
}

/** Books a reply. */
export function book(account: Account, amounts: Amounts): void {
  for (const kind of KINDS) {
    charge(account, kind, amounts[kind]);
    const { purse } = drawnOn(account, kind);
    if (purse.committed > purse.limit && amounts[kind] > 0) account.unkept.add(kind);
  }
  for (let one: Account | null = account; one !== null; one = one.parent) one.spent = sum(one.spent, amounts);
}

/** Replaces what is promised to an account. */
export function setReservation(account: Account, asked: readonly Amounts[], kept: Amounts): void {
  const before = promisedTo(account);
  const keptBefore = account.kept;
  account.asked = asked;
  account.kept = kept;
  const after = promisedTo(account);
  for (const kind of KINDS) {
    const { purse } = drawnOn(account, kind);
    purse.promised += after[kind] - before[kind];
    purse.kept += kept[kind] - keptBefore[kind];
  }
}

/** Holds money for a request of the account that is about to be sent. */
export function hold(account: Account, purse: Allowance, nanos: number): void {
  purse.held += nanos;
  account.holds += 1;
}

/** The request is over, and what it cost is booked. */
export function letGo(account: Account, purse: Allowance, nanos: number): void {
  purse.held -= nanos;
  account.holds -= 1;
  closeUpwards(account);
}

function promisedTo({ asked, kept }: Account): Amounts {
  return asked.reduce(sum, kept);
}

/** It has ended. Its purses go back once everything below has ended too: nobody outgrows them by being left behind. */
export function release(account: Account): void {
  if (account.released) return;
  setReservation(account, [], nothing);
  account.released = true;
  closeUpwards(account);
}

function closeUpwards(account: Account): void {
  if (!account.released || account.closed || account.parent === null) return;
  if (account.below > 0 || account.holds > 0) return;
  for (const kind of KINDS) {
    const purse = account.purses[kind];
    if (purse && purse.limit > purse.committed) charge(account.parent, kind, purse.committed - purse.limit);
  }
  account.closed = true;
  account.parent.below -= 1;
  closeUpwards(account.parent);
}

function sum(a: Amounts, b: Amounts): Amounts {
  return { usd: a.usd + b.usd, tokens: a.tokens + b.tokens, turns: a.turns + b.turns };
}
