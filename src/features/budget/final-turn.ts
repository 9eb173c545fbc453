import type { LastTurn } from "../../mailbox/messages.ts";
import type { BudgetKind } from "./budget.ts";
import type { Deadline } from "./deadline.ts";
import { amount, amountOf } from "./format.ts";
import type { BudgetHolder } from "./shortage.ts";

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
  const [who, whoseLimit] = HOLDERS[whose];
  const figures = `${who} ${kind === "usd" ? "spent" : "used"} ${amountOf(kind, spent, limit, whoseLimit)}`;
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
  own: ["It", "its"],
  session: ["This session", "its"],
  agent: ["The agent that it works for", "its"],
} as const satisfies Readonly<Record<ReachedLimit["whose"], readonly [string, string]>>;

const NOTES: Readonly<Record<BudgetKind, string>> = {
  tokens: "Your token budget is as good as spent.",
  usd: "The money for your task is as good as spent.",
  turns: "You have no turns left after this one.",
};
