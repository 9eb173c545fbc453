import type { ContentBlock } from "../mailbox/conversation.ts";
import { markInvalid } from "../mailbox/invalid-input.ts";

type Fields = Record<string, unknown>;

/** One block of a reply, as far as it has come. */
export interface ReplyBlock {
  /** The server's own; it may be odd. */
  readonly index: unknown;
  readonly fields: Fields;
  text: string;
  json: string;
  closed: ContentBlock | null;
}

const TYPE_OF_DELTA: Readonly<Record<string, string>> = {
  text_delta: "text",
  citations_delta: "text",
  input_json_delta: "tool_use",
  thinking_delta: "thinking",
  signature_delta: "thinking",
};

/** True if a piece of this type can belong to the block; one of an unknown type can belong to any. */
export function takesDelta({ fields }: ReplyBlock, type: unknown): boolean {
  const needed = TYPE_OF_DELTA[String(type)];
  // Server-side tools have an input, too, and their blocks have names of their own.
  const isTool = needed === "tool_use" && String(fields["type"]).endsWith("tool_use");
  return needed === undefined || needed === fields["type"] || isTool;
}

/** True if the block is complete although its end was not sent: a call is only if its input is. */
export function isWhole({ fields, json }: ReplyBlock): boolean {
  if (fields["type"] !== "tool_use") return true;
  if (json.trim() === "") return Object.keys(Object(fields["input"])).length > 0;
  return isFields(parsed(json));
}

/** Returns the block as it came. */
export function closedBlock({ fields, text, json }: ReplyBlock): ContentBlock {
  const block: Fields = { ...fields };
  if (block["type"] === "text") block["text"] = stringOf(block["text"]) + text;
  if (block["type"] === "thinking") block["thinking"] = stringOf(block["thinking"]) + text;
  if (json !== "" || block["type"] === "tool_use") block["input"] = inputOf(json, block["input"]);
  // Blocks are the provider's and go back to it as they came, also those that these types do not know.
  return block as unknown as ContentBlock;
}

/** A tool's input is an object; what is none is marked, so that it is answered and never guessed at (fault 18). */
function inputOf(json: string, whole: unknown): unknown {
  if (json.trim() === "") return isFields(whole) ? whole : {};
  const input = parsed(json);
  return isFields(input) ? input : markInvalid(json);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
