import { errorMessage } from "../lib/errors.ts";
import { formatNumber } from "../lib/figures.ts";
import { textOf } from "../mailbox/conversation.ts";
import type { LastTurn, Status, Turn } from "../mailbox/messages.ts";
import type { ModelFailure, ModelReply } from "../model/client.ts";

/** How an agent's run ends; `text` falls back to its last text. */
export interface Ending {
  readonly status: Status;
  readonly text: string;
  readonly reason?: string | undefined;
  /** The answer as data, if that was requested. */
  readonly output?: unknown;
}

/** Why a reply must be the last one: a limit was reached, or the window is full. */
export type Last = Omit<LastTurn, "status"> & { readonly status: Status };

/** Returns the end of a conversation that no longer fits; the reserve of the window is for this (C24). */
export function outOfRoom({ model }: { readonly model: string }): Last {
  return {
    status: "partial",
    reason: `Its conversation no longer fits into the context window of ${model}, and could not be made shorter; give it a smaller task, or a model with a larger window.`,
    note: "Your context window is full. Call no more tools: answer now with what you have found, and say what is missing.",
  };
}

/** Returns the end after a reply without calls. Empty text is not `done` (promise 1), nor is a reply that was cut. */
export function endingOfReply(
  reply: Pick<ModelReply, "content" | "stopReason" | "refusal">,
  saidBefore: string,
  last: Last | null,
): Ending {
  const said = textOf(reply.content);
  const text = said || saidBefore;
  if (last) return { status: last.status, text, reason: last.reason };
  if (reply.stopReason === "refusal") {
    const why = reply.refusal === undefined ? "" : ` (${reply.refusal.replace(/\.$/, "")})`;
    return {
      status: "failed",
      text,
      reason: `The model refused to continue${why}; word the task differently, or use another model.`,
    };
  }
  if (reply.stopReason === "max_tokens" || reply.stopReason === "model_context_window_exceeded") {
    return { status: "partial", text, reason: "The model's last reply was cut at its length limit." };
  }
  if (reply.stopReason === "incomplete") {
    return { status: "partial", text, reason: "The model did not do all that was asked." };
  }
  if (said) return { status: "done", text };
  return { status: text ? "partial" : "failed", text, reason: "The model ended without an answer." };
}

/** Returns a turn with the end that it brought, so that it is known if the program dies before the summary is durable. */
export function withEnding(turn: Turn, { status, reason }: Ending): Turn {
  if (status === "done") return turn;
  return { ...turn, ending: { status, reason } };
}

/** Returns the end of an agent whose thread or program died between its reply and its end. */
export function endingOfAnswer(answered: Turn | undefined, text: string): Ending {
  return { text, status: "done", ...answered?.ending };
}

/** Consecutive replies that may be cut inside a call; a model that does not split its work by then will not. */
export const MOST_CUT = 2;

export function endingOfCutCalls(tokens: number, text: string): Ending {
  const limit = formatNumber(tokens);
  return {
    status: "partial",
    text,
    reason: `Two replies in a row were cut at ${limit} tokens inside a call; ask for smaller parts, or set a higher troupe.maxTokens.`,
  };
}

export function outOfTurns(maxTurns: number): string {
  return `It reached its limit of ${maxTurns} turn${maxTurns === 1 ? "" : "s"}.`;
}

export function endingOfFailure(failure: ModelFailure, saidBefore: string): Ending {
  const text = [saidBefore, failure.partialText].filter(Boolean).join("\n\n");
  // The failure came after text, which is kept.
  if (failure.kind === "too_large" && text !== "")
    return { status: "partial", text, reason: failure.message };
  const status = failure.kind === "over_budget" ? "over_budget" : "failed";
  return { status, text, reason: failure.message };
}

/** The reason comes in the `cancel` message; the supervisor tells a deadline from a request to stop. */
export function endingOfCancel(signal: AbortSignal, saidBefore: string): Ending {
  const reason: unknown = signal.reason;
  return {
    status: "cancelled",
    text: saidBefore,
    reason: errorMessage(reason),
  };
}
