import { fieldsOf, given, isObject } from "../lib/json.ts";
import type { Usage } from "../mailbox/conversation.ts";
import type { ModelReply, OnModelEvent } from "./client.ts";
import type { ErrorFields } from "./error-response.ts";
import { type ReplyBlock, ReplyBlocks, stringOf } from "./reply-blocks.ts";

/** The stream is not what the protocol says. */
export interface ProtocolProblem {
  readonly type: "protocol";
  readonly problem: string;
}

/** Why a stream cannot become a reply. */
export type ReplyProblem =
  | ProtocolProblem
  /** The server's own `error` event (fault 11). */
  | { readonly type: "error"; readonly error: ErrorFields };

/** A reply as it was streamed; the server may not have named its model. */
export interface FinishedReply extends Omit<ModelReply, "apiMs" | "model"> {
  readonly type: "finished";
  readonly model: string | undefined;
}

type Fields = Record<string, unknown>;

/** Written out here: the module that has it loads a schema library, which the gateway's thread does not need. */
const NOTHING: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** Characters of what a server says about a refusal. */
const MOST_REFUSAL = 300;
/** Of what a model writes, rather too few. */
const CHARS_PER_TOKEN = 3;

/**
 * Puts one reply together from the raw events of a stream. Blocks count when they are closed before a stop
 * reason came (A22.22); half a tool call is never part of a reply. Unknown blocks are kept as they came,
 * unknown events and deltas are ignored (fault 23).
 */
export class ReplyAssembler {
  private readonly on: OnModelEvent;
  /** The server has read the prompt. */
  private readonly onStart: () => void;
  /** What it thinks is for the user. */
  private readonly tellsProgress: boolean;
  private readonly blocks = new ReplyBlocks();
  private texts = 0;
  private said = "";
  /** It has told something since its last text. */
  private hasTold = false;
  /** Written so far, of whatever kind. */
  private chars = 0;
  private usage: Usage = NOTHING;
  private model: string | undefined;
  private id: unknown;
  private stopReason: string | undefined;
  private refusal: string | undefined;
  private stopped = false;

  constructor(on: OnModelEvent, onStart: () => void = () => {}, tellsProgress = false) {
    this.on = on;
    this.onStart = onStart;
    this.tellsProgress = tellsProgress;
  }

  /** Nothing more is expected. */
  get ended(): boolean {
    return this.stopped;
  }

  /** What has been said so far, also in a block that is not closed. */
  get partialText(): string {
    return this.said;
  }

  /** What it has cost so far, where the server has begun to count; what was written since is estimated. */
  get partialUsage(): Usage | null {
    if (this.model === undefined) return null;
    const written = Math.ceil(this.chars / CHARS_PER_TOKEN);
    return { ...this.usage, output_tokens: Math.max(this.usage.output_tokens, written) };
  }

  take(event: unknown): ReplyProblem | undefined {
    if (!isObject(event)) return problem("an event is not an object");
    switch (event["type"]) {
      case "message_start":
        return this.messageStart(fieldsOf(event["message"]));
      case "content_block_start":
        return this.blockStart(event["index"], fieldsOf(event["content_block"]));
      case "content_block_delta":
        return this.blockDelta(event["index"], fieldsOf(event["delta"]));
      case "content_block_stop":
        return this.blockStop(event["index"]);
      case "message_delta":
        return this.messageDelta(fieldsOf(event["delta"]), fieldsOf(event["usage"]));
      case "message_stop":
        this.stopped = true;
        return this.stopReason === undefined ? this.impliedStop() : undefined;
      default:
        return undefined;
    }
  }

  /** Returns the reply, or what is wrong with it. Called when the stream has ended, for whatever reason. */
  finish(): FinishedReply | ProtocolProblem {
    if (this.stopReason === undefined)
      return problem(this.blocks.isEmpty ? "the reply is empty" : "the reply ended before it was complete");
    return {
      type: "finished",
      // An empty text block is not accepted in the next request.
      content: this.blocks.content.filter((block) => block.type !== "text" || block.text !== ""),
      stopReason: this.stopReason,
      usage: this.usage,
      model: this.model,
      ...given({ refusal: this.refusal }),
    };
  }

  private messageStart(message: Fields): ReplyProblem | undefined {
    // Some proxies send the start twice.
    if (this.model !== undefined && (!this.blocks.isEmpty || this.id !== message["id"]))
      return problem("a second message began");
    this.id = message["id"];
    this.model = stringOf(message["model"]);
    this.count(fieldsOf(message["usage"]));
    this.onStart();
    return undefined;
  }

  private blockStart(index: unknown, fields: Fields): ReplyProblem | undefined {
    if (this.stopReason !== undefined) return problem("a block began after the end");
    const block = this.blocks.start(index, fields);
    if (block === null) return problem(`block ${String(index)} began again before its end`);
    switch (fields["type"]) {
      case "tool_use": {
        const { id, name } = fields;
        if (typeof id !== "string" || typeof name !== "string") return problem("a tool call has no name");
        this.on({ type: "call-begins", tool: name });
        return undefined;
      }
      case "text":
        this.texts += 1;
        if (this.hasTold) this.on({ type: "thinking", text: "\n\n", forUser: true });
        this.hasTold = false;
        // Two blocks are two paragraphs, while they are streamed as in the whole reply.
        this.say(block, (this.texts > 1 && this.said !== "" ? "\n" : "") + stringOf(fields["text"]), "");
        return undefined;
      default:
        return undefined;
    }
  }

  private blockDelta(index: unknown, delta: Fields): ReplyProblem | undefined {
    for (const value of Object.values(delta)) this.chars += stringOf(value).length;
    const block = this.blocks.find(index, delta);
    if (block === "none") return undefined;
    if (!block) return problem(`a piece of block ${String(index)} came, which is not open`);
    switch (delta["type"]) {
      case "text_delta": {
        const text = stringOf(delta["text"]);
        this.say(block, text, text);
        return undefined;
      }
      case "input_json_delta":
        block.json += stringOf(delta["partial_json"]);
        return undefined;
      case "thinking_delta": {
        const text = stringOf(delta["thinking"]);
        if (text !== "") this.think(block, text);
        return undefined;
      }
      case "signature_delta":
        block.fields["signature"] = stringOf(delta["signature"]);
        return undefined;
      case "citations_delta": {
        const before = block.fields["citations"];
        block.fields["citations"] = [...(Array.isArray(before) ? before : []), delta["citation"]];
        return undefined;
      }
      default:
        return undefined;
    }
  }

  private think(block: ReplyBlock, text: string): void {
    const isFirst = block.text === "";
    block.text += text;
    if (this.tellsProgress) {
      const isLater = isFirst && (this.hasTold || this.said !== "");
      this.hasTold = true;
      this.on({ type: "thinking", text: isLater ? `\n\n${text}` : text, forUser: true });
    } else this.on({ type: "thinking", text });
  }

  private say(block: ReplyBlock, seen: string, kept: string): void {
    block.text += kept;
    if (seen === "") return;
    this.said += seen;
    this.on({ type: "text", text: seen });
  }

  private blockStop(index: unknown): ReplyProblem | undefined {
    return this.blocks.end(index) ? undefined : problem(`block ${String(index)} ended, but is not open`);
  }

  /** The message has ended without a reason: that is enough if something was said. */
  private impliedStop(): ReplyProblem | undefined {
    return this.said !== "" || this.blocks.hasCall ? this.stop("end_turn") : undefined;
  }

  private stop(reason: string): ReplyProblem | undefined {
    // At the limit of tokens a call is cut, and marked so later.
    if (!this.blocks.endAll(reason === "max_tokens")) return problem("the reply ended inside a call");
    // Some servers say that the turn is over when it has calls.
    this.stopReason = reason === "end_turn" && this.blocks.hasCall ? "tool_use" : reason;
    return undefined;
  }

  private messageDelta(delta: Fields, usage: Fields): ReplyProblem | undefined {
    this.count(usage);
    const { explanation, category } = fieldsOf(delta["stop_details"]);
    const why = stringOf(explanation) || stringOf(category);
    if (why !== "") this.refusal = why.replaceAll(/\s+/g, " ").slice(0, MOST_REFUSAL).toWellFormed();
    const reason = delta["stop_reason"];
    return typeof reason === "string" ? this.stop(reason) : undefined;
  }

  /** Counts are of the whole message so far; what a server leaves out keeps its value. */
  private count(usage: Fields): void {
    const counted = { ...this.usage };
    for (const key of Object.keys(NOTHING) as (keyof Usage)[]) {
      const tokens = usage[key];
      if (typeof tokens === "number") counted[key] = tokens;
    }
    this.usage = counted;
  }
}

function problem(text: string): ProtocolProblem {
  return { type: "protocol", problem: text };
}
