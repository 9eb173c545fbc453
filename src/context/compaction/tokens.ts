import type {
  ContentBlockParam,
  MessageParam,
  ToolDefinition,
  ToolResultContent,
} from "../../mailbox/conversation.ts";
import { blocksOf } from "../../mailbox/turns.ts";

/** Characters of a token in code and English; rather too few, because too long is worse than cut early. */
const CHARS = 3.5;
const IMAGE_TOKENS = 1_600;
/** What a block, a message or a tool costs in addition to its text. */
const FRAME_TOKENS = 8;
/** A page of a document, seen and read; and the bytes it has about, in base64. */
const PAGE_TOKENS = 2_500;
const PAGE_CHARS = 40_000;

type Block = ContentBlockParam | Exclude<ToolResultContent, string>[number];

export function tokensOfCharacter(code: number): number {
  return code > 0x7f ? 1 : 1 / CHARS;
}

/** Returns the characters of English in this many tokens. */
export function charsIn(tokens: number): number {
  return Math.floor(tokens * CHARS);
}

/** Estimates tokens; the API's own counts are used if there are any. */
export function tokensOfText(text: string): number {
  let wide = 0;
  // Outside of ASCII a character is often a token of its own.
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) wide += 1;
  return Math.ceil((text.length - wide) / CHARS + wide);
}

export function tokensOfMessages(messages: readonly MessageParam[]): number {
  return messages.reduce((sum, message) => sum + FRAME_TOKENS + tokensOfBlocks(blocksOf(message)), 0);
}

/** Counts what comes before the conversation in every request. */
export function tokensOfPrefix(system: readonly string[], tools: readonly ToolDefinition[]): number {
  const texts = system.reduce((sum, text) => sum + FRAME_TOKENS + tokensOfText(text), 0);
  return tools.reduce(
    (sum, { name, description, input_schema }) =>
      sum + FRAME_TOKENS + tokensOfText(name + description) + tokensOfText(JSON.stringify(input_schema)),
    texts,
  );
}

export function tokensOfBlocks(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + FRAME_TOKENS + tokensOfBlock(block), 0);
}

function tokensOfBlock(block: Block): number {
  switch (block.type) {
    case "text":
      return tokensOfText(block.text);
    case "tool_use":
      return tokensOfText(block.name) + tokensOfText(JSON.stringify(block.input) ?? "");
    case "tool_result": {
      const { content = "" } = block;
      return typeof content === "string" ? tokensOfText(content) : tokensOfBlocks(content);
    }
    case "image":
      return IMAGE_TOKENS;
    case "document":
      return tokensOfDocument(block.source);
    case "thinking":
      return tokensOfText(block.thinking);
    default:
      // A block of the provider's own: only its length is known.
      return tokensOfText(JSON.stringify(block));
  }
}

function tokensOfDocument(source: object): number {
  const data = "data" in source && typeof source.data === "string" ? source.data : "";
  if ("type" in source && source.type === "text") return tokensOfText(data);
  return PAGE_TOKENS * Math.max(1, Math.ceil(data.length / PAGE_CHARS));
}
