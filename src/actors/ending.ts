import { MOST_RETRIES, retryText } from "../context/agents/retry-text.ts";
import { errorMessage } from "../lib/errors.ts";
import type { Checked } from "../lib/json-schema.ts";
import { formatNumber } from "../lib/text.ts";
import { textOf } from "../mailbox/conversation.ts";
import type { JsonSchema, LastTurn, Status, Turn } from "../mailbox/messages.ts";
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

export type TypedEnding =
  | { readonly type: "ends"; readonly ending: Ending }
  /** `note`: the text for its model before it answers again. */
  | { readonly type: "again"; readonly note: string };

/**
 * Checks an ending whose text must be data. One that is `done` and does not fit is retried; after the last retry it
 * is `partial`, with its text as it is. `isLast`: no further reply may be requested.
 */
export async function typedEnding(
  ending: Ending,
  schema: JsonSchema,
  {
    retries,
    isLast,
    check,
  }: { readonly retries: number; readonly isLast: boolean; readonly check: CheckData },
): Promise<TypedEnding> {
  const ends = (more: Partial<Ending>): TypedEnding => ({ type: "ends", ending: { ...ending, ...more } });
  const data = parseAnswer(ending.text);
  const found = data.type === "data" ? await check(schema, data.value) : null;
  if (data.type === "data" && found?.type === "fits") return ends({ output: data.value });
  if (found?.type === "unusable")
    return ends(
      partly(ending, `Its output_schema cannot be used (${found.reason}), so its answer was not checked.`),
    );
  const complaints =
    data.type === "none" ? [`It ${data.reason}.`] : found?.type === "misfit" ? found.complaints : [];
  if (!isLast && retries < MOST_RETRIES) return { type: "again", note: retryText(complaints, schema) };
  const times = retries === 0 ? "" : ` after ${retries === 1 ? "a second try" : `${retries + 1} tries`}`;
  return ends(partly(ending, `Its answer does not fit its output_schema${times}: ${complaints.join("; ")}`));
}

/** Puts any other reason for its early end first. */
function partly({ status, reason }: Ending, why: string): Pick<Ending, "status" | "reason"> {
  return { status: status === "done" ? "partial" : status, reason: [reason, why].filter(Boolean).join(" ") };
}

type ParseAnswer =
  | { readonly type: "data"; readonly value: unknown }
  /** `reason` follows "Your answer" in a sentence. */
  | { readonly type: "none"; readonly reason: string };

const FENCE = /^[ \t]*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)^[ \t]*\1[ \t]*$/gm;

/**
 * Finds the JSON in an answer: all of it, its last fenced block of JSON, or the text between its outermost brackets.
 */
export function parseAnswer(text: string): ParseAnswer {
  const fenced = [...text.matchAll(FENCE)].map((match) => match[2] ?? "");
  let failure = "is no JSON";
  for (const candidate of [text, ...fenced.toReversed(), between(text, "{", "}"), between(text, "[", "]")]) {
    if (candidate.trim() === "") continue;
    try {
      return { type: "data", value: JSON.parse(candidate) };
    } catch (error) {
      // The likeliest candidate looks like data, and its error helps most.
      if (/^\s*[[{]/.test(candidate) && error instanceof Error) failure = `is no JSON: ${error.message}`;
    }
  }
  return { type: "none", reason: text.trim() === "" ? "is empty" : failure };
}

function between(text: string, open: string, close: string): string {
  const [from, to] = [text.indexOf(open), text.lastIndexOf(close)];
  return from < 0 || to < from ? "" : text.slice(from, to + 1);
}

/** Checks data against a schema. A pattern of the schema's author may never end, so `checkData` runs in a thread. */
export type CheckData = (schema: JsonSchema, value: unknown) => Promise<CheckedData>;

export type CheckedData =
  | Exclude<Checked, { type: "misfit" }>
  /** What does not fit, one line each, with the path of the value. */
  | { readonly type: "misfit"; readonly complaints: readonly string[] };
