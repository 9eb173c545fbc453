import type { ActorId } from "../../mailbox/ids.ts";
import { type Amounts, type Budget, type BudgetKind, KINDS, limitIn, nothing } from "./budget.ts";

/** What one agent may use of one kind, together with everything below it that has no allowance of its own. */
export interface Allowance {
  readonly limit: number;
  /**
   * Spent from it, and set aside in allowances below. Money stays within the limit; other kinds may exceed it by one
   * reply.
   */
  committed: number;
  /** The most that requests in flight may cost (money only). */
  held: number;
  /** The part of `promised` that is reserved for summaries. */
  kept: number;
  /** Reserved for requests in flight, and for the summaries of the agents that draw on it. */
  promised: number;
}

/** The account of one agent, or (if `id` is null) of the whole session. */
export interface Account {
  readonly id: ActorId | null;
  readonly parent: Account | null;
  readonly allowances: Readonly<Record<BudgetKind, Allowance | null>>;
  /** Milliseconds from its start; null if it has no deadline of its own. */
  readonly ms: number | null;
  startedAt: number | null;
  /** Spent by itself and everything below it, ended or not. */
  spent: Amounts;
  /** Estimates of requests in flight or about to be sent, oldest first, until their cost is booked. */
  asked: readonly Amounts[];
  /** Reserved for its summary. */
  kept: Amounts;
  /** Kinds in which no summary is reserved: its own reply exceeded the limit, or nothing was left when it started. */
  readonly unkept: Set<BudgetKind>;
  released: boolean;
  /** True once it and everything below it are released, and its allowances have been returned. */
  closed: boolean;
  /** Accounts directly below it that are not closed. */
  below: number;
  /** Its requests in flight that hold money. */
  holds: number;
}

export function openAccount(id: ActorId | null, parent: Account | null, budget: Budget): Account {
  const allowance = (kind: BudgetKind): Allowance | null => {
    const limit = limitIn(budget, kind);
    if (limit === undefined) return parent === null ? emptyPurse(Number.POSITIVE_INFINITY) : null;
    return emptyPurse(limit);
  };
  const { ms } = budget;
  return {
    id,
    parent,
    allowances: { usd: allowance("usd"), tokens: allowance("tokens"), turns: allowance("turns") },
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

/** Starts or resumes the account. If nothing is left it gets no summary either, or each new start would have one. */
export function openWithRemainder(account: Account): void {
  for (const kind of KINDS) {
    const { allowance } = drawnOn(account, kind);
    if (allowance.committed >= allowance.limit) account.unkept.add(kind);
  }
}

function emptyPurse(limit: number): Allowance {
  return { limit, committed: 0, held: 0, kept: 0, promised: 0 };
}

/** Reserves an account's allowances from those above. */
export function fill(account: Account): void {
  if (account.parent === null) return;
  for (const kind of KINDS) {
    const allowance = account.allowances[kind];
    if (allowance) charge(account.parent, kind, allowance.limit);
  }
  account.parent.below += 1;
}

/** Returns the allowance that pays an account's costs of a kind, and its owner. The session has one of each kind. */
export function drawnOn(
  account: Account,
  kind: BudgetKind,
): { readonly owner: Account; readonly allowance: Allowance } {
  for (let owner: Account | null = account; owner !== null; owner = owner.parent) {
    const allowance = owner.closed ? null : owner.allowances[kind];
    if (allowance) return { owner, allowance };
  }
  throw new Error("The session itself has no allowance.");
}

/**
 * Commits an amount (negative to return it) to what the account draws on. An amount above the limit is spent all the
 * same, so the allowance above pays for it.
 */
export function charge(account: Account, kind: BudgetKind, amount: number): void {
  const { owner, allowance } = drawnOn(account, kind);
  const before = heldBy(allowance);
  allowance.committed += amount;
  const more = heldBy(allowance) - before;
  if (more !== 0 && owner.parent !== null) charge(owner.parent, kind, more);
}

/** Returns what an allowance reserves from the one above. */
function heldBy({ limit, committed }: Allowance): number {
  return Math.max(limit, committed);
}

/** Books a reply. */
export function book(account: Account, amounts: Amounts): void {
  for (const kind of KINDS) {
    charge(account, kind, amounts[kind]);
    const { allowance } = drawnOn(account, kind);
    if (allowance.committed > allowance.limit && amounts[kind] > 0) account.unkept.add(kind);
  }
  for (let one: Account | null = account; one !== null; one = one.parent) one.spent = sum(one.spent, amounts);
}

/** Replaces what is reserved for an account. */
export function setReservation(account: Account, asked: readonly Amounts[], kept: Amounts): void {
  const before = promisedTo(account);
  const keptBefore = account.kept;
  account.asked = asked;
  account.kept = kept;
  const after = promisedTo(account);
  for (const kind of KINDS) {
    const { allowance } = drawnOn(account, kind);
    allowance.promised += after[kind] - before[kind];
    allowance.kept += kept[kind] - keptBefore[kind];
  }
}

/** Holds money for a request of the account that is about to be sent. */
export function hold(account: Account, allowance: Allowance, nanos: number): void {
  allowance.held += nanos;
  account.holds += 1;
}

/** Ends the hold of a request whose cost is booked. */
export function letGo(account: Account, allowance: Allowance, nanos: number): void {
  allowance.held -= nanos;
  account.holds -= 1;
  closeUpwards(account);
}

function promisedTo({ asked, kept }: Account): Amounts {
  return asked.reduce(sum, kept);
}

/**
 * Releases an account. Its allowances are returned only when everything below has ended too, so that no agent
 * outlives its limits.
 */
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
    const allowance = account.allowances[kind];
    if (allowance && allowance.limit > allowance.committed)
      charge(account.parent, kind, allowance.committed - allowance.limit);
  }
  account.closed = true;
  account.parent.below -= 1;
  closeUpwards(account.parent);
}

function sum(a: Amounts, b: Amounts): Amounts {
  return { usd: a.usd + b.usd, tokens: a.tokens + b.tokens, turns: a.turns + b.turns };
}
