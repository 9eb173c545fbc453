import type { MessageParam } from "../mailbox/conversation.ts";
import type { ModelRequest } from "./client.ts";

/** A message as the gateway gets and keeps it: its JSON, in memory that all threads share. */
export interface MessageBytes {
  readonly role: MessageParam["role"];
  readonly json: Uint8Array<SharedArrayBuffer>;
}

/** A request for the gateway: only what it does not have yet. */
export type SentRequest = Omit<ModelRequest, keyof Head | "messages"> & {
  /** Null: that of the request before. */
  readonly head: Head | null;
  /** How many messages of the request before this one begins with. */
  readonly keep: number;
  readonly add: readonly MessageBytes[];
};

type Head = Pick<ModelRequest, "system" | "tools">;

/** Returns a message as bytes. Throws if it is not plain data. */
export type EncodeMessage = (message: MessageParam) => MessageBytes;

/**
 * Encodes each message once, however many requests and conversations have it: forks of half a million tokens share their
 * start. A message is never changed in place, so the object stands for its content.
 */
export function messageEncoder(): EncodeMessage {
  const known = new WeakMap<MessageParam, MessageBytes>();
  return (message) => {
    const before = known.get(message);
    if (before) return before;
    const text = JSON.stringify(message);
    const json = Buffer.from(new SharedArrayBuffer(Buffer.byteLength(text)));
    json.write(text);
    const encoded = { role: message.role, json };
    known.set(message, encoded);
    return encoded;
  };
}

/** The sender's side of one port: what its gateway has of the conversation. */
export class ConversationSender {
  readonly #encode: EncodeMessage;
  #sent: Pick<ModelRequest, keyof Head | "messages"> | null = null;

  constructor(encode: EncodeMessage) {
    this.#encode = encode;
  }

  /** The next request goes to a gateway that has nothing. */
  reset(): void {
    this.#sent = null;
  }

  /** Returns the request for a gateway that got all before it. Throws if it is not plain data. */
  next(request: ModelRequest): SentRequest {
    const { system, tools, messages, ...rest } = request;
    const before = this.#sent;
    const differs = messages.findIndex((message, at) => before?.messages[at] !== message);
    const keep = differs < 0 ? messages.length : differs;
    const add = messages.slice(keep).map(this.#encode);
    const isSame = before !== null && before.tools === tools && areEqual(before.system, system);
    this.#sent = { system, tools, messages: [...messages] };
    return { ...rest, head: isSame ? null : { system, tools }, keep, add };
  }
}

function areEqual(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, at) => text === others[at]);
}

/** The gateway's side of one port. */
export class ConversationReceiver {
  #head: Head | null = null;
  #messages: readonly MessageParam[] = [];

  /** Returns the whole request. Throws if its beginning is not here. */
  take({ head, keep, add, ...rest }: SentRequest): ModelRequest {
    this.#head = head ?? this.#head;
    if (this.#head === null || keep > this.#messages.length) throw new Error("The request has no beginning.");
    this.#messages = [...this.#messages.slice(0, keep), ...add.map(decodeMessage)];
    return { ...rest, ...this.#head, messages: this.#messages };
  }
}

/** Neither JSON nor a clone has it. */
const BYTES = Symbol("bytes");

/** Returns the message; its content is parsed whenever it is read, since most are only sent. */
export function decodeMessage({ role, json }: MessageBytes): MessageParam {
  const message: MessageParam = { role, content: "" };
  return Object.defineProperties(message, {
    content: {
      enumerable: true,
      get: () =>
        (JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.length).toString()) as MessageParam)
          .content,
    },
    [BYTES]: { value: json },
  });
}

/** Returns the JSON of a message that came as bytes, or null. */
export function jsonBytesOf(message: MessageParam): Uint8Array | null {
  const bytes = BYTES in message ? message[BYTES] : null;
  return bytes instanceof Uint8Array ? bytes : null;
}
