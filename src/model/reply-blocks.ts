import { isObject, parseJson } from "../lib/json.ts";
import type { ContentBlock } from "../mailbox/conversation.ts";
import { markInvalid } from "./invalid-input.ts";

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

/** The index of text that came inside a block of another type. */
const STRAY = Symbol("stray");

/**
 * The blocks of one reply, in the order in which they began. Odd indices and ends that were not sent are made up for, if there
 * is only one thing they can mean.
 */
export class ReplyBlocks {
  readonly #list: ReplyBlock[] = [];

  get isEmpty(): boolean {
    return this.#list.length === 0;
  }

  get hasCall(): boolean {
    return this.#list.some(({ fields }) => fields["type"] === "tool_use");
  }

  /** Those that have ended. */
  get content(): ContentBlock[] {
    return this.#list.flatMap(({ closed }) => closed ?? []);
  }

  /** Returns null if a block with this index is open and may not be complete, or its start was only sent twice. */
  start(index: unknown, fields: Fields): ReplyBlock | null {
    const before = this.#open.find((one) => one.index === index);
    if (before) {
      if (!isWhole(before) || before.text + before.json === "") return null;
      before.closed = closedBlock(before);
    }
    const block = { index, fields, text: "", json: "", closed: null };
    this.#list.push(block);
    return block;
  }

  /**
   * Returns the block that a piece is for: the open one with this index, or the only one that is open. Proxies of models that
   * reason put thoughts into a text, and text between two calls into a call: such a piece is never mixed in. Returns "none" if
   * it is for no block, and undefined if it could be for several.
   */
  find(index: unknown, delta: Fields): ReplyBlock | "none" | undefined {
    const open = this.#open;
    const { type } = delta;
    const named = open.find((one) => one.index === index) ?? (open.length === 1 ? open[0] : undefined);
    if (named === undefined || takesDelta(named, type)) return named;
    if (named.index !== index) return undefined;
    if (type === "thinking_delta" || type === "signature_delta") return "none";
    if (type !== "text_delta") return undefined;
    if (String(delta["text"]).trim() === "") return "none";
    return (
      open.find((one) => one.index === STRAY) ?? this.start(STRAY, { type: "text", text: "" }) ?? undefined
    );
  }

  /** Ends a block. False if it is not open, and the end of another one may be meant. */
  end(index: unknown): boolean {
    const [only, ...others] = this.#open;
    const named = this.#open.find((one) => one.index === index);
    // An end that was sent twice ends nothing.
    const isKnown = only === undefined || this.#list.some((one) => one.index === index);
    const ended = named ?? (isKnown || others.length > 0 ? undefined : only);
    if (ended) ended.closed = closedBlock(ended);
    return ended !== undefined || isKnown;
  }

  /** Ends all blocks that are open. False if a call may not be complete, unless `isCut`. */
  endAll(isCut: boolean): boolean {
    if (!isCut && !this.#open.every(isWhole)) return false;
    for (const block of this.#open) block.closed = closedBlock(block);
    return true;
  }

  get #open(): ReplyBlock[] {
    return this.#list.filter(({ closed }) => closed === null);
  }
}

/** True if a piece of this type can belong to the block; one of an unknown type can belong to any. */
function takesDelta({ fields }: ReplyBlock, type: unknown): boolean {
  const needed = TYPE_OF_DELTA[String(type)];
  // Server-side tools have an input, too, and their blocks have names of their own.
  const isTool = needed === "tool_use" && String(fields["type"]).endsWith("tool_use");
  return needed === undefined || needed === fields["type"] || isTool;
}

/** True if the block is complete although its end was not sent: a call is only if its input is. */
function isWhole({ fields, json }: ReplyBlock): boolean {
  if (fields["type"] !== "tool_use") return true;
  if (json.trim() === "") return Object.keys(Object(fields["input"])).length > 0;
  return isObject(parseJson(json));
}

/** Returns the block as it came. */
function closedBlock({ fields, text, json }: ReplyBlock): ContentBlock {
  const block: Fields = { ...fields };
  if (block["type"] === "text") block["text"] = stringOf(block["text"]) + text;
  if (block["type"] === "thinking") block["thinking"] = stringOf(block["thinking"]) + text;
  if (json !== "" || block["type"] === "tool_use") block["input"] = inputOf(json, block["input"]);
  // Blocks are the provider's and go back to it as they came, also those that these types do not know.
  return block as unknown as ContentBlock;
}

/** A tool's input is an object; what is none is marked, so that it is answered and never guessed at (fault 18). */
function inputOf(json: string, whole: unknown): unknown {
  if (json.trim() === "") return isObject(whole) ? whole : {};
  const input = parseJson(json);
  return isObject(input) ? input : markInvalid(json);
}

export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
