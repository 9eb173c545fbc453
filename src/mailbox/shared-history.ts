import { hash } from "node:crypto";
import * as z from "zod/mini";
import { Message, type MessageParam } from "./conversation.ts";

/**
 * The start that several conversations have in common, as bytes that all threads share: half a million tokens are in
 * memory once, not once for each fork, request and copy sent.
 */
export interface SharedHistory {
  /** The digest of its bytes, by which threads recognize the same history. */
  readonly id: string;
  /** The JSON of each message, separated by commas. */
  readonly bytes: SharedArrayBuffer;
  readonly places: readonly SharedPlace[];
  /** Tokens that a server has counted for it and what precedes it in a request, or null. */
  readonly counted: number | null;
}

interface SharedPlace {
  readonly role: MessageParam["role"];
  readonly start: number;
  readonly end: number;
  /** By our own estimate, so that it need not be read again. */
  readonly tokens: number;
}

/** A conversation in transit to another thread: the history it starts with, and the rest. */
export interface Parted {
  readonly shared?: { readonly history: SharedHistory; readonly count: number };
  readonly messages: readonly MessageParam[];
}

/** The position of a message in a history. */
export class Shared {
  readonly history: SharedHistory;
  readonly index: number;

  constructor(history: SharedHistory, index: number) {
    this.history = history;
    this.index = index;
  }

  get place(): SharedPlace | undefined {
    return this.history.places[this.index];
  }
}

/** Neither JSON nor a clone has it: what is not split is copied whole, correctly. */
const SHARED = Symbol("shared");

/** Returns the same messages, stored as bytes; each is parsed again whenever its content is read. */
export function shareHistory(
  messages: readonly MessageParam[],
  tokensOf: (message: MessageParam) => number,
  counted: number | null,
): MessageParam[] {
  const texts = messages.map((message) => Buffer.from(JSON.stringify(message)));
  const length = texts.reduce((sum, text) => sum + text.length + 1, 0);
  const bytes = new SharedArrayBuffer(length);
  const all = Buffer.from(bytes);
  let start = 0;
  const places = messages.map((message, index): SharedPlace => {
    const text = texts[index] ?? Buffer.alloc(0);
    const end = start + text.copy(all, start);
    const place = { role: message.role, start, end, tokens: tokensOf(message) };
    start = end + all.write(",", end);
    return place;
  });
  return messagesIn({ id: hash("sha256", all, "base64"), bytes, places, counted });
}

/** Returns null for a message outside of a history. */
export function sharedIn(message: MessageParam): Shared | null {
  const shared = SHARED in message ? message[SHARED] : null;
  return shared instanceof Shared ? shared : null;
}

export function splitHistory(messages: readonly MessageParam[]): Parted {
  const history = messages[0] === undefined ? undefined : sharedIn(messages[0])?.history;
  if (history === undefined) return { messages };
  const own = messages.findIndex((message, index) => {
    const shared = sharedIn(message);
    return shared?.history !== history || shared.index !== index;
  });
  const count = own < 0 ? messages.length : own;
  return count === 0 ? { messages } : { shared: { history, count }, messages: messages.slice(count) };
}

export function joinHistory({ shared, messages }: Parted): MessageParam[] {
  if (shared === undefined) return [...messages];
  return [...messagesIn(shared.history).slice(0, shared.count), ...messages];
}

function messagesIn(history: SharedHistory): MessageParam[] {
  return history.places.map(({ role, start, end }, index) => {
    const message: MessageParam = { role, content: "" };
    return Object.defineProperties(message, {
      content: {
        enumerable: true,
        get() {
          const text = Buffer.from(history.bytes, start, end - start).toString();
          return z.parse(Message, JSON.parse(text)).content;
        },
      },
      [SHARED]: { value: new Shared(history, index) },
    });
  });
}
