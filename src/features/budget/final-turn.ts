import { span } from "../../lib/text.ts";
import type { LastTurn } from "../../mailbox/messages.ts";
import type { Account } from "./account.ts";
import { amount, amountOf, type BudgetKind } from "./budget.ts";
import type { BudgetHolder } from "./spawn-limits.ts";

/** Why an agent's next reply must be its last: `reason` has the figures, for the summary. */
export interface FinalTurn extends LastTurn {
  /** True if not even a summary can be paid for: it ends with its earlier text and sends no request. */
  readonly silent: boolean;
}

export interface ReachedLimit {
  readonly kind: BudgetKind;
  readonly spent: number;
  readonly setAside: number;
  readonly limit: number;
  readonly whose: BudgetHolder | "own";
  readonly silent: boolean;
}

const ANSWER_NOW = "Call no more tools: answer now with what you have found, and say what is missing.";

export function limitNotice({ kind, spent, setAside, limit, whose, silent }: ReachedLimit): FinalTurn {
  const figures = `${HOLDERS[whose]} ${kind === "usd" ? "spent" : "used"} ${amountOf(kind, spent, limit)}`;
  const aside = setAside > 0 ? `, with ${amount(kind, setAside)} set aside for agents that run` : "";
  const rest = spent + setAside < limit ? "; the rest was kept for summaries" : "";
  return {
    status: kind === "turns" ? "out_of_turns" : "over_budget",
    reason: `${figures}${aside}${rest}.`,
    note: `${NOTES[kind]} ${ANSWER_NOW}`,
    silent,
  };
}

export function wordsAtDeadline({ ms, reason }: Deadline): FinalTurn {
  return {
    status: "timed_out",
    reason,
    note: `Your time is nearly over. ${ANSWER_NOW}`,
    silent: ms <= 0,
  };
}

const HOLDERS = {
  own: "It",
  session: "This session",
  agent: "The agent that it works for",
} as const satisfies Readonly<Record<ReachedLimit["whose"], string>>;

const NOTES: Readonly<Record<BudgetKind, string>> = {
  tokens: "Your token budget is as good as spent.",
  usd: "The money for your task is as good as spent.",
  turns: "You have no turns left after this one.",
};

/** When an agent must have ended. */
export interface Deadline {
  /** Milliseconds from now; negative if it has passed. */
  readonly ms: number;
  /** For the summary. */
  readonly reason: string;
}

/** Returns the nearest of its own deadline and those above it that are started and not over; null for no deadline. */
export function deadlineOf(account: Account, now: number): Deadline | null {
  let nearest: Deadline | null = null;
  for (let one: Account | null = account; one !== null; one = one.parent) {
    if (one.ms === null || one.startedAt === null || one.closed) continue;
    const ms = one.startedAt + one.ms - now;
    if (nearest === null || ms < nearest.ms) nearest = { ms, reason: reasonOf(account, one, one.ms) };
  }
  return nearest;
}

function reasonOf(account: Account, owner: Account, ms: number): string {
  if (owner === account) return `It did not end within its ${span(ms)}.`;
  const whose = owner.id === null ? "this session" : "the agent that it works for";
  return `It did not end within the ${span(ms)} of ${whose}.`;
}
