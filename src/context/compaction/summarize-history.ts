import { given } from "../../lib/json.ts";
import type { CompactBegin } from "../../mailbox/compacted.ts";
import { addUsage, noUsage, textOf, type Usage } from "../../mailbox/conversation.ts";
import type { ActorSpec } from "../../mailbox/messages.ts";
import type { Services } from "../../mailbox/services.ts";
import type {
  ModelClient,
  ModelOutcome,
  ModelReply,
  ModelRequest,
  OnModelEvent,
} from "../../model/client.ts";
import type { Bounds } from "./bounds.ts";
import { type CompactedView, summaryMessages } from "./compacted-view.ts";
import { tokensOfPrefix } from "./tokens.ts";

/** What a summary needs from outside. */
export interface SummaryContext {
  readonly model: ModelClient;
  readonly services: Pick<Services, "compacting">;
  readonly signal: AbortSignal;
  readonly onModelEvent: OnModelEvent;
}

interface Wanted {
  readonly spec: ActorSpec;
  /** What its requests begin with. */
  readonly prefix: Pick<ModelRequest, "system" | "tools">;
  readonly shown: CompactedView;
  /** The last turn that goes into it. */
  readonly through: number;
  readonly bounds: Bounds;
  readonly factor: number;
  readonly compaction: CompactBegin;
}

/** `usage`: of all requests for summaries so far. */
export type Summarised =
  | { readonly type: "summary"; readonly text: string; readonly usage: Usage }
  /** `reason` is a sentence. */
  | { readonly type: "none"; readonly reason: string; readonly usage: Usage };

/** Tokenizers differ by at most this factor; beyond it the server adds something. */
const BELIEVED_FACTOR = 3;

/**
 * Asks the hooks, then the same model, for a summary of the turns up to `through`. Never rejects for their failures.
 */
export async function summarizeHistory(
  wanted: Wanted,
  { services, model, ...context }: SummaryContext,
): Promise<Summarised> {
  const { shown, compaction } = wanted;
  const usage = shown.compacted?.usage ?? noUsage;
  const none = (reason: string, total = usage): Summarised => ({ type: "none", reason, usage: total });
  const may = await services.compacting(compaction);
  if (may.type === "blocked") return none(`A PreCompact hook is against it: ${may.reason}`);
  const request = requestFor(wanted, may.instructions);
  if (request === null) return none("What should be summarised does not fit into the context window itself.");
  const ask = (asked: ModelRequest) => model.ask(asked, quietly(context.onModelEvent), context.signal);
  let outcome = await ask({ ...request, wordsAlone: true });
  let before = usage;
  if (outcome.type === "reply" && hasOnlyCalls(outcome.reply)) {
    before = addUsage(before, outcome.reply.usage);
    outcome = await ask(request);
  }
  return outcome.type === "failure"
    ? none(`No summary was written: ${outcome.failure.message}`, before)
    : textIn(outcome, before);
}

function hasOnlyCalls({ content }: ModelReply): boolean {
  return textOf(content) === "" && content.some(({ type }) => type === "tool_use");
}

function textIn({ reply }: Extract<ModelOutcome, { type: "reply" }>, before: Usage): Summarised {
  const usage = addUsage(before, reply.usage);
  const text = textOf(reply.content);
  if (reply.stopReason === "refusal" || text === "") {
    const reason =
      text === "" ? "The model wrote an empty summary." : "The model refused to write a summary.";
    return { type: "none", reason, usage };
  }
  const cut = reply.stopReason === "max_tokens" ? "\n[It was cut here at its length limit.]" : "";
  return { type: "summary", text: `${text}${cut}`, usage };
}

/** Returns a request with the agent's usual prefix, so that the cache serves it, or null if no part would fit. */
function requestFor(
  { spec, prefix, shown, through, bounds, factor, compaction }: Wanted,
  instructions: string,
): ModelRequest | null {
  const { id, model, effort, thinkingTokens: thought } = spec;
  // The server has accepted this part before: a very different count is no reason not to ask.
  const most =
    (bounds.full + bounds.reply - bounds.summary) / Math.min(factor, BELIEVED_FACTOR) -
    tokensOfPrefix(prefix.system, prefix.tools);
  const messages = summaryMessages(shown, through, { ...compaction, instructions }, most);
  if (messages === null) return null;
  return {
    ...prefix,
    ...{ actor: id, model, messages },
    // How much the model thinks is part of the prefix. A budget must be smaller than the reply.
    ...given({ effort, thinkingTokens: thought && thought < bounds.summary ? thought : undefined }),
    maxTokens: bounds.summary,
    withoutTools: true,
    streamText: false,
  };
}

/** Shows the wait for the model, but not its text. */
function quietly(on: OnModelEvent): OnModelEvent {
  return (event) => {
    if (event.type === "waiting") on(event);
  };
}
