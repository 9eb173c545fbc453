import { fieldsOf, parseJson } from "../lib/json.ts";
import { chatEncoder, REASONING } from "./chat-body.ts";
import type { ModelClient } from "./client.ts";
import { failedOutcome } from "./failures.ts";
import { type HttpModelOptions, httpModel } from "./http-model.ts";
import type { ReplyTranslator } from "./reply-stream.ts";

export interface OpenAIOptions extends HttpModelOptions {
  readonly apiKey?: string;
}

const NO_SEARCH = failedOutcome({
  kind: "invalid_request",
  message:
    "A chat completions API has no web search of its own; set troupe.webSearch.provider to another one.",
});

/** Returns a client for any server of the chat completions API: OpenAI's, and what is compatible with it. */
export function openaiModel(options: OpenAIOptions): ModelClient {
  const { apiKey, baseURL } = options;
  const client = httpModel(
    {
      kind: "openai",
      path: "/chat/completions",
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      secrets: apiKey === undefined ? [] : [apiKey],
      encode: chatEncoder(isOpenAI(baseURL) ? "max_completion_tokens" : "max_tokens"),
      translate: chatTranslator,
    },
    options,
  );
  return {
    ...client,
    ask: async (request, ...rest) => (request.webSearch ? NO_SEARCH : client.ask(request, ...rest)),
  };
}

/** Its newer models refuse `max_tokens`, and many other servers know nothing else. */
function isOpenAI(baseURL: string | undefined): boolean {
  const host = baseURL === undefined ? "api.openai.com" : (URL.parse(baseURL)?.hostname ?? "");
  return /(^|\.)openai\.(com|azure\.com)$/.test(host);
}

type Fields = Readonly<Record<string, unknown>>;

/** Reasons for the end as the Messages API names them; others are kept. */
const REASONS: Readonly<Record<string, string>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  function_call: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
};

interface OpenCall {
  readonly index: unknown;
  readonly id: string;
  /** The block of the reply; null until the call has a name. */
  block: number | null;
  input: string;
}

/** Returns what turns chunks of one chat completion into events of the Messages API. */
export function chatTranslator(): ReplyTranslator {
  const reply = new ChatReply();
  return {
    event: (json) => reply.chunk(fieldsOf(json)),
    whole: (json) => [...reply.chunk(fieldsOf(json)), ...reply.end()],
    end: () => reply.end(),
  };
}

/** One reply. Text and reasoning alternate in blocks; calls stay open until the end, since their pieces may be mixed. */
class ChatReply {
  #events: unknown[] = [];
  #started = false;
  #stopped = false;
  #blocks = 0;
  #open: { readonly type: string; readonly index: number } | null = null;
  readonly #calls: OpenCall[] = [];

  chunk(chunk: Fields): unknown[] {
    this.#events = [];
    if (!this.#started) this.#events.push({ type: "message_start", message: { model: chunk["model"] } });
    this.#started = true;
    const [first] = listOf(chunk["choices"]);
    const choice = fieldsOf(first);
    this.#delta(fieldsOf(choice["delta"] ?? choice["message"]));
    const reason = choice["finish_reason"];
    if (typeof reason === "string" && reason !== "") this.#stop(reason);
    if (chunk["usage"] != null) this.#count(fieldsOf(chunk["usage"]));
    return this.#events;
  }

  /** A stream that says that it has ended needs no reason, unless a call was cut. */
  end(): unknown[] {
    this.#events = [];
    if (!this.#stopped && this.#blocks > 0 && this.#calls.every(isWhole)) this.#stop("stop");
    this.#events.push({ type: "message_stop" });
    return this.#events;
  }

  #delta(delta: Fields): void {
    const field = REASONING.find((name) => textOf(delta[name]) !== "");
    if (field !== undefined) {
      const index = this.#blockOf({ type: "thinking", thinking: "", signature: field });
      this.#events.push(deltaOf(index, { type: "thinking_delta", thinking: textOf(delta[field]) }));
    }
    const text = textOf(delta["content"]) + textOf(delta["refusal"]);
    if (text !== "") {
      const index = this.#blockOf({ type: "text", text: "" });
      this.#events.push(deltaOf(index, { type: "text_delta", text }));
    }
    for (const call of listOf(delta["tool_calls"])) this.#call(fieldsOf(call));
  }

  #call(piece: Fields): void {
    const called = fieldsOf(piece["function"]);
    const name = textOf(called["name"]);
    const call = this.#callOf(piece, name);
    if (call.block === null && name !== "") {
      this.#close();
      call.block = this.#start({ type: "tool_use", id: call.id, name, input: {} });
      this.#input(call, call.input);
    }
    const input = called["arguments"];
    // Some servers send the input itself, not its JSON.
    const json = typeof input === "object" && input !== null ? JSON.stringify(input) : textOf(input);
    call.input += json;
    this.#input(call, json);
  }

  #input(call: OpenCall, partial_json: string): void {
    if (call.block === null || partial_json === "") return;
    this.#events.push(deltaOf(call.block, { type: "input_json_delta", partial_json }));
  }

  /** By its place in the list, or its ID; some servers give every call the same place, or none. */
  #callOf({ index, id }: Fields, name: string): OpenCall {
    const known = textOf(id);
    const before = this.#calls.findLast((call) =>
      index === undefined ? known === "" || call.id === known : call.index === index,
    );
    const isNew = known !== "" && before?.id !== known;
    const hasOwn = index === undefined && known === "" && name !== "";
    if (before !== undefined && !(name !== "" && (isNew || hasOwn))) return before;
    const call = { index, id: known, block: null, input: "" };
    this.#calls.push(call);
    return call;
  }

  #blockOf(block: Fields & { readonly type: string }): number {
    if (this.#open?.type === block.type) return this.#open.index;
    this.#close();
    const index = this.#start(block);
    this.#open = { type: block.type, index };
    return index;
  }

  #start(content_block: object): number {
    const index = this.#blocks;
    this.#blocks += 1;
    this.#events.push({ type: "content_block_start", index, content_block });
    return index;
  }

  #close(): void {
    if (this.#open !== null) this.#events.push({ type: "content_block_stop", index: this.#open.index });
    this.#open = null;
  }

  #stop(reason: string): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#close();
    for (const { block } of this.#calls)
      if (block !== null) this.#events.push({ type: "content_block_stop", index: block });
    this.#events.push({ type: "message_delta", delta: { stop_reason: REASONS[reason] ?? reason } });
  }

  /** Cached tokens are part of the prompt here, and not in the Messages API. */
  #count(usage: Fields): void {
    const cached = numberOf(fieldsOf(usage["prompt_tokens_details"])["cached_tokens"]);
    this.#events.push({
      type: "message_delta",
      usage: {
        input_tokens: Math.max(0, numberOf(usage["prompt_tokens"]) - cached),
        output_tokens: numberOf(usage["completion_tokens"]),
        cache_read_input_tokens: cached,
      },
    });
  }
}

function deltaOf(index: number, delta: object): object {
  return { type: "content_block_delta", index, delta };
}

function isWhole({ input }: OpenCall): boolean {
  return input === "" || parseJson(input) !== undefined;
}

/** A text, or a list of parts with text. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return listOf(value)
    .map((part) => textOf(fieldsOf(part)["text"]))
    .join("");
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
