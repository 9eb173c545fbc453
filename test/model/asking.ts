import { MAIN } from "../../src/mailbox/ids.ts";
import type {
  ModelClient,
  ModelEvent,
  ModelFailure,
  ModelOutcome,
  ModelReply,
  ModelRequest,
} from "../../src/model/client.ts";

/** A small request, with what a test wants to be different. */
export function requestOf(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    actor: MAIN,
    model: "test-model",
    system: ["You are a test."],
    tools: [],
    messages: [{ role: "user", content: "Hello" }],
    maxTokens: 16_000,
    streamText: true,
    ...changes,
  };
}

export interface Asked {
  readonly outcome: ModelOutcome;
  readonly events: readonly ModelEvent[];
}

export async function ask(
  client: ModelClient,
  changes: Partial<ModelRequest> = {},
  signal = new AbortController().signal,
): Promise<Asked> {
  const events: ModelEvent[] = [];
  const outcome = await client.ask(requestOf(changes), (event) => events.push(event), signal);
  return { outcome, events };
}

export function replyIn(outcome: ModelOutcome): ModelReply {
  if (outcome.type === "reply") return outcome.reply;
  throw new Error(`a reply was expected, not: ${outcome.failure.message}`);
}

export function failureIn(outcome: ModelOutcome): ModelFailure {
  if (outcome.type === "failure") return outcome.failure;
  throw new Error(`a failure was expected, not: ${JSON.stringify(outcome.reply.content)}`);
}
