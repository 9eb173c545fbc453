import type { ContentBlockParam, MessageParam, ToolResultBlockParam } from "../mailbox/conversation.ts";
import { blocksOf } from "../mailbox/turns.ts";
import type { ModelRequest } from "./client.ts";
import type { BodyPiece } from "./http-post.ts";

/** The fields in which servers send reasoning, and want it back in a chain of calls. */
export const REASONING = ["reasoning_content", "reasoning"] as const;

type ChatMessage = Readonly<Record<string, unknown>>;

/** Returns what writes requests of the chat completions API; each message is translated once, as long as it lives. */
export function chatEncoder(limit: "max_tokens" | "max_completion_tokens") {
  const known = new WeakMap<object, string>();
  const once = (of: object, write: () => string): string => {
    const text = known.get(of) ?? write();
    known.set(of, text);
    return text;
  };
  return (request: ModelRequest, model: string): BodyPiece[] => {
    const { system, tools, messages, effort, withoutTools } = request;
    const head = {
      ...{ model, [limit]: request.maxTokens, stream: true, stream_options: { include_usage: true } },
      ...(effort === undefined ? {} : { reasoning_effort: effort === "max" ? "xhigh" : effort }),
      ...(tools.length > 0 && withoutTools ? { tool_choice: "none" } : {}),
    };
    const prompt = system.length === 0 ? [] : [JSON.stringify(messageOf("system", system.join("\n\n")))];
    const texts = messages.map((message) =>
      once(message, () =>
        chatMessagesOf(message)
          .map((one) => JSON.stringify(one))
          .join(","),
      ),
    );
    const list = [...prompt, ...texts.filter((text) => text !== "")].join(",");
    const offered =
      tools.length > 0 ? `,"tools":${once(tools, () => JSON.stringify(tools.map(toolOf)))}` : "";
    return [`${JSON.stringify(head).slice(0, -1)}${offered},"messages":[${list}]}`];
  };
}

function toolOf({ name, description, input_schema: parameters }: ModelRequest["tools"][number]): object {
  return { type: "function", function: { name, description, parameters } };
}

function messageOf(role: string, content: unknown): ChatMessage {
  return { role, content };
}

function chatMessagesOf(message: MessageParam): ChatMessage[] {
  const blocks = blocksOf(message);
  if (message.role === "assistant") return [replyOf(blocks)];
  const results = blocks.filter((block) => block.type === "tool_result");
  // Results come right after the calls; images and documents in them follow in a message of the user.
  const shown = [
    ...results.flatMap(({ content }) =>
      typeof content === "string" ? [] : (content ?? []).flatMap(mediaOf),
    ),
    ...blocks.flatMap(partsOf),
  ];
  return [
    ...results.map(resultOf),
    ...(shown.length === 0 ? [] : [messageOf(message.role, contentOf(shown))]),
  ];
}

function replyOf(blocks: readonly ContentBlockParam[]): ChatMessage {
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const calls = blocks.flatMap((block) =>
    block.type === "tool_use"
      ? [
          {
            id: block.id,
            type: "function",
            function: { name: block.name, arguments: JSON.stringify(block.input) },
          },
        ]
      : [],
  );
  return {
    ...messageOf("assistant", text === "" && calls.length > 0 ? null : text),
    ...Object.assign({}, ...blocks.map(reasoningOf)),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** Only what this API has sent: its signature is the name of the field. */
function reasoningOf(block: ContentBlockParam): ChatMessage {
  const field = block.type === "thinking" ? REASONING.find((name) => name === block.signature) : undefined;
  return field === undefined || block.type !== "thinking" ? {} : { [field]: block.thinking };
}

function resultOf({ tool_use_id, content = "", is_error }: ToolResultBlockParam): ChatMessage {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const media = parts.some((part) => mediaOf(part).length > 0) ? ["The next message shows it."] : [];
  const text = [...texts, ...media].join("\n");
  return {
    ...{ role: "tool", tool_call_id: tool_use_id },
    content: is_error ? `Error: ${text}` : text,
  };
}

type Part = { readonly type: string; readonly text?: string };

/** Templates of local models often take nothing but a string. */
function contentOf(parts: readonly Part[]): unknown {
  return parts.every(({ text }) => text !== undefined) ? parts.map(({ text }) => text).join("\n") : parts;
}

function partsOf(block: ContentBlockParam): Part[] {
  if (block.type === "text") return block.text === "" ? [] : [{ type: "text", text: block.text }];
  return block.type === "tool_result" ? [] : mediaOf(block);
}

/** Images and documents. */
function mediaOf(block: ContentBlockParam | { readonly type: string }): Part[] {
  if (!("source" in block) || (block.type !== "image" && block.type !== "document")) return [];
  const { source } = block;
  if (typeof source !== "object") return [];
  switch (source.type) {
    case "base64":
      return [dataPart(block.type, `data:${source.media_type};base64,${source.data}`)];
    case "url":
      return [dataPart(block.type, source.url)];
    case "text":
      return [{ type: "text", text: source.data }];
    default:
      return [];
  }
}

function dataPart(type: "image" | "document", url: string): Part {
  const image = { type: "image_url", image_url: { url } };
  return type === "image"
    ? image
    : { ...{ type: "file" }, ...{ file: { filename: "document", file_data: url } } };
}
