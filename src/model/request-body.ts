import type Anthropic from "@anthropic-ai/sdk";
import type { ContentBlockParam, MessageParam } from "../mailbox/conversation.ts";
import type { ModelRequest } from "./client.ts";
import { thinkingOf } from "./thinking.ts";

const CACHED = { cache_control: { type: "ephemeral" } } as const;

/**
 * The body of one request (A1.4, A1.5, A1.15). Cache breakpoints stand on the last system block and on the
 * last block of the last message, never on tools (A22.19). Nothing of the request is changed in place.
 */
export function bodyOf(request: ModelRequest, model: string): Anthropic.MessageCreateParamsStreaming {
  const { tools, thinkingTokens = 0 } = request;
  return {
    model,
    max_tokens: request.maxTokens,
    ...(request.system.length > 0 ? { system: systemOf(request.system) } : {}),
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, input_schema }) => ({ name, description, input_schema })),
          // The tools stay: they are part of the cached prefix.
          ...(request.withoutTools ? { tool_choice: { type: "none" as const } } : {}),
        }
      : {}),
    messages: request.messages.map((message, index) =>
      index === request.messages.length - 1 ? withBreakpoint(message) : message,
    ),
    ...(thinkingTokens > 0 ? { thinking: thinkingOf(model, thinkingTokens) } : {}),
    stream: true,
  };
}

function systemOf(system: readonly string[]): Anthropic.TextBlockParam[] {
  return system.map((text, index) => ({
    type: "text",
    text,
    ...(index === system.length - 1 ? CACHED : {}),
  }));
}

/** The last message of a request is the user's: results, a prompt, steering. */
function withBreakpoint(message: MessageParam): MessageParam {
  if (message.role !== "user") return message;
  const blocks: readonly ContentBlockParam[] =
    typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
  const last = blocks.at(-1);
  if (!last || !takesBreakpoint(last)) return message;
  return { role: "user", content: [...blocks.slice(0, -1), { ...last, ...CACHED }] };
}

/** The API refuses a breakpoint on thinking and on empty text. */
function takesBreakpoint(block: ContentBlockParam): boolean {
  if (block.type === "thinking" || block.type === "redacted_thinking") return false;
  return block.type !== "text" || block.text !== "";
}
