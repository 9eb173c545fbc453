import type { ModelClient, ModelOutcome, ModelReply, OnModelEvent } from "./client.ts";
import { decide } from "./offline/decide.ts";
import { countOf, OFFLINE, replyOf } from "./offline/reply.ts";

/**
 * The model that is always there: it needs no key, no network and no server. It searches with the tools it
 * is offered, quotes what they show, and follows a few simple instructions; it does not reason, and says so.
 * Each reply follows from the request alone, so a conversation can go on in any thread and after any
 * resume. An aborted signal ends it with a `cancelled` failure.
 */
export function offlineModel(): ModelClient {
  return {
    name: OFFLINE,
    countTokens: async (request) => countOf(request),
    async ask(request, on, signal) {
      if (signal.aborted) return cancelled();
      const reply = replyOf(request, decide(request));
      tell(reply, request.streamText === true, on);
      return signal.aborted ? cancelled() : { type: "reply", reply };
    },
  };
}

function tell(reply: ModelReply, streamText: boolean, on: OnModelEvent): void {
  for (const block of reply.content) {
    if (block.type === "tool_use") on({ type: "call-begins", tool: block.name });
    if (block.type === "text" && streamText)
      for (const text of pieces(block.text)) on({ type: "text", text });
  }
}

/** A few pieces, cut at paragraphs: each is a message between threads. */
function pieces(text: string): string[] {
  return text.split(/(?<=\n\n)/).filter((piece) => piece !== "");
}

function cancelled(): ModelOutcome {
  return { type: "failure", failure: { kind: "cancelled", message: "The request was cancelled." } };
}
