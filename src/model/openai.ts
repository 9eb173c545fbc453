import { chatEncoder } from "./chat-body.ts";
import { chatTranslator } from "./chat-reply.ts";
import type { ModelClient, ModelOutcome } from "./client.ts";
import { type HttpModelOptions, httpModel } from "./http-model.ts";

export interface OpenAIOptions extends HttpModelOptions {
  readonly apiKey?: string;
}

const NO_SEARCH: ModelOutcome = {
  type: "failure",
  failure: {
    kind: "invalid_request",
    message:
      "A chat completions API has no web search of its own; set troupe.webSearch.provider to another one.",
  },
};

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
