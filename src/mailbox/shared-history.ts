import { hash } from "node:crypto";
import * as z from "zod/mini";
import { Message, type MessageParam } from "./conversation.ts";

/**
 * What several conversations begin with, as bytes that all threads look at: half a million tokens are in memory once,
 * not once for each fork, its request, and what is sent of it.
 */
export interface SharedHistory {
  /** The digest of its bytes: by it two threads know that they mean the same. */
  readonly id: string;
  /** The JSON of each message, with commas between. */
  readonly bytes: SharedArrayBuffer;
  readonly places: readonly SharedPlace[];
  /** What a server has counted for all of it, with what stands before it in a request; null: it has not. */
  readonly counted: number | null;
}

interface SharedPlace {
  readonly role: MessageParam["role"];
  readonly start: number;
  readonly end: number;
  /** By the estimate of whoever shared it: nobody need read it again for that. */
  readonly tokens: number;
}

/** A conversation for the way to another thread: how much of a history it begins with, and the rest. */
export interface Parted {
  readonly shared?: { readonly history: SharedHistory; readonly count: number };
  readonly messages: readonly MessageParam[];
}

/** Where a message of a history stands in it. */
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

/** Neither JSON nor a clone has it: what is not parted is copied as a whole, and right. */
const SHARED = Symbol("shared");

/** The same messages, kept as bytes; each is read anew whenever somebody looks at its content. */
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

/** Null for a message that is its conversation's own. */
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
