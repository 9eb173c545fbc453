import { errorMessage } from "../lib/errors.ts";
import { textOf } from "../mailbox/conversation.ts";
import type { LastTurn, Status } from "../mailbox/messages.ts";
import type { ModelFailure, ModelReply } from "../model/client.ts";

/** How an agent's run ends; `text` falls back to the last thing it said. */
export interface Ending {
  readonly status: Status;
  readonly text: string;
  readonly reason?: string;
  /** The answer as data, where that was asked for. */
  readonly output?: unknown;
}

/** Why a reply must be the last one: a limit was reached, or nothing more fits into the window. */
export type Last = Omit<LastTurn, "status"> & { readonly status: Status };

/** The conversation cannot be made to fit any more; what was kept in reserve is for this (C24). */
export function outOfRoom({ model }: { readonly model: string }): Last {
  return {
    status: "partial",
    reason: `Its conversation does not fit into the context window of ${model} any more, and could not be made shorter; give it a smaller task, or a model with a larger window.`,
    note: "Your context window is full. Call no more tools: answer now with what you have found, and say what is missing.",
  };
}

/** A reply without calls ends the agent. Empty text is not `done` (promise 1), nor is a reply that was cut. */
export function endingOfReply(
  reply: Pick<ModelReply, "content" | "stopReason">,
  saidBefore: string,
  last: Last | null,
): Ending {
  const said = textOf(reply.content);
  const text = said || saidBefore;
  if (last) return { status: last.status, text, reason: last.reason };
  if (reply.stopReason === "refusal") {
    return { status: "failed", text, reason: "The model refused to go on." };
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

/** Of one whose thread, or whole program, died between its answer and its end. */
export function endingOfAnswer(
  { maxTurns }: { maxTurns: number },
  now: { turns: number; said: string },
): Ending {
  const { turns, said: text } = now;
  // The one turn more than it may take is the one it was told to be its last.
  if (turns > maxTurns) return { status: "out_of_turns", text, reason: outOfTurns(maxTurns) };
  return { status: "done", text };
}

/** Replies in a row that may be cut inside a call; a model that does not work in parts then will not. */
export const MOST_CUT = 2;

export function endingOfCutCalls(tokens: number, text: string): Ending {
  const limit = tokens.toLocaleString("en-US");
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
  // What does not fit was found out with what did.
  if (failure.kind === "too_large" && text !== "")
    return { status: "partial", text, reason: failure.message };
  const status = failure.kind === "over_budget" ? "over_budget" : "failed";
  return { status, text, reason: failure.message };
}

/** The reason travels in the `cancel` mail; a deadline is told from a wish by the supervisor, not here. */
export function endingOfCancel(signal: AbortSignal, saidBefore: string): Ending {
  const reason: unknown = signal.reason;
  return {
    status: "cancelled",
    text: saidBefore,
    reason: errorMessage(reason),
  };
}
