import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  ErrorCode,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  LATEST_PROTOCOL_VERSION,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";
import { META, STATELESS, UNSUPPORTED_VERSION } from "../../mcp/broker/stateless-fetch.ts";

/** Lists and what is discovered must say how long they hold. */
const NOT_CACHED = { ttlMs: 0, cacheScope: "private" } as const;

const Envelope = z.looseObject({
  [`${META}/protocolVersion`]: z.string(),
  [`${META}/clientInfo`]: z.optional(z.looseObject({})),
  [`${META}/clientCapabilities`]: z.optional(z.looseObject({})),
});
const Repeated = z.object({
  requestState: z.string(),
  inputResponses: z.optional(z.record(z.string(), z.looseObject({}))),
});

/** A request that has no result yet. */
interface OpenCall {
  /** As our server knows it. */
  readonly id: RequestId;
  readonly method: string;
  readonly token: unknown;
  /** As the client knows it now; null while the client answers a question. */
  asked: RequestId | null;
  askedToken: unknown;
  /** The result, if it came while the client was answering. */
  result: JSONRPCMessage | null;
}

/**
 * Lets clients that speak only MCP 2026-07-28, which has no handshake, use a server of the older protocol. The first of
 * their requests becomes a handshake. A question to the user ends an open request with `input_required`; the client
 * repeats the request with the answer, and it gets the result of the first one. Other clients notice nothing.
 */
export class StatelessServing implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  readonly #inner: Transport;
  readonly #calls = new Map<RequestId, OpenCall>();
  readonly #questions: JSONRPCRequest[] = [];
  #handshake: Promise<JSONRPCMessage> | null = null;
  #onHandshake: (answer: JSONRPCMessage) => void = () => {};

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  start(): Promise<void> {
    const { onclose } = this.#inner;
    this.#inner.onclose = () => {
      onclose?.();
      this.onclose?.();
    };
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message) =>
      void this.#receive(message).catch((error: Error) => this.onerror?.(error));
    return this.#inner.start();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async #receive(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCNotification(message) && this.#handshake !== null) return this.#notified(message);
    const { data: envelope } = Envelope.safeParse(isJSONRPCRequest(message) ? message.params?._meta : null);
    if (!isJSONRPCRequest(message) || envelope === undefined) return this.onmessage?.(message);
    const requested = envelope[`${META}/protocolVersion`];
    if (requested !== STATELESS) {
      const data = { supported: [STATELESS], requested };
      const text = `Unsupported protocol version: ${requested}`;
      const error = { code: UNSUPPORTED_VERSION, message: text, data };
      return this.#inner.send({ jsonrpc: "2.0", id: message.id, error });
    }
    this.#handshake ??= this.#shakeHands(envelope);
    const answer = await this.#handshake;
    if (!isJSONRPCResultResponse(answer)) {
      // The next request tries again.
      this.#handshake = null;
      return this.#inner.send({ ...answer, id: message.id } as JSONRPCMessage);
    }
    const { serverInfo, capabilities, instructions } = answer.result;
    if (message.method === "server/discover") {
      const offers = { supportedVersions: [STATELESS], capabilities, instructions, ...NOT_CACHED };
      const result = { ...offers, resultType: "complete", _meta: { [`${META}/serverInfo`]: serverInfo } };
      return this.#inner.send({ jsonrpc: "2.0", id: message.id, result });
    }
    const { data: repeated } = Repeated.safeParse(message.params);
    const token = message.params?._meta?.progressToken;
    const known = repeated === undefined ? undefined : this.#calls.get(idOf(repeated.requestState));
    if (known !== undefined) return this.#resume(known, message.id, token, repeated?.inputResponses ?? {});
    if (repeated !== undefined) {
      // To run it again would start its agents again.
      const error = {
        code: ErrorCode.InvalidParams,
        message: "This server has no open request with that requestState.",
      };
      return this.#inner.send({ jsonrpc: "2.0", id: message.id, error });
    }
    this.#calls.set(message.id, {
      id: message.id,
      method: message.method,
      token,
      asked: message.id,
      askedToken: token,
      result: null,
    });
    this.onmessage?.(message);
    await this.#askNext();
  }

  /** Tells our server what a handshake would have said; the answer is for `server/discover`. */
  #shakeHands(envelope: Readonly<Record<string, unknown>>): Promise<JSONRPCMessage> {
    const { promise, resolve } = Promise.withResolvers<JSONRPCMessage>();
    this.#onHandshake = resolve;
    const params = {
      protocolVersion: LATEST_PROTOCOL_VERSION,
      capabilities: envelope[`${META}/clientCapabilities`] ?? {},
      clientInfo: envelope[`${META}/clientInfo`] ?? { name: "", version: "" },
    };
    this.onmessage?.({ jsonrpc: "2.0", id: HANDSHAKE, method: "initialize", params });
    this.onmessage?.({ jsonrpc: "2.0", method: "notifications/initialized" });
    return promise;
  }

  async #resume(
    call: OpenCall,
    id: RequestId,
    token: unknown,
    answers: Readonly<Record<string, Record<string, unknown>>>,
  ): Promise<void> {
    Object.assign(call, { asked: id, askedToken: token });
    for (const [question, result] of Object.entries(answers))
      this.onmessage?.({ jsonrpc: "2.0", id: idOf(question), result });
    if (call.result !== null) await this.#finish(call, call.result);
    else await this.#askNext();
  }

  async #notified(message: JSONRPCMessage): Promise<void> {
    if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled") return;
    const call = [...this.#calls.values()].find(({ asked }) => asked === message.params?.["requestId"]);
    if (call === undefined) return;
    this.#calls.delete(call.id);
    this.onmessage?.({ ...message, params: { ...message.params, requestId: call.id } });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#handshake === null) return this.#inner.send(message);
    if (isJSONRPCRequest(message)) {
      this.#questions.push(message);
      return this.#askNext();
    }
    if (isJSONRPCNotification(message)) return this.#notify(message);
    if (message.id === HANDSHAKE) return this.#onHandshake(message);
    const call = message.id === undefined ? undefined : this.#calls.get(message.id);
    if (call === undefined) return;
    if (call.asked === null) call.result = message;
    else await this.#finish(call, message);
  }

  async #finish(call: OpenCall, message: JSONRPCMessage): Promise<void> {
    this.#calls.delete(call.id);
    const id = call.asked ?? call.id;
    if (isJSONRPCErrorResponse(message)) return this.#inner.send({ ...message, id });
    if (!isJSONRPCResultResponse(message)) return;
    const kind = call.method === "tools/list" ? NOT_CACHED : {};
    const result = { ...message.result, ...kind, resultType: "complete" };
    await this.#inner.send({ ...message, id, result });
  }

  /** Asks the next question in the result of a request that is open, and tells our server if no request is open. */
  async #askNext(): Promise<void> {
    const [question] = this.#questions;
    if (question === undefined) return;
    const open = [...this.#calls.values()];
    const call = open.find(({ asked }) => asked !== null);
    // One that the client is repeating takes it later.
    if (call === undefined && open.length > 0) return;
    this.#questions.shift();
    const { id, method, params = {} } = question;
    if (call === undefined || call.asked === null) {
      const error = { code: ErrorCode.InvalidRequest, message: "No request of the client is open to ask in" };
      return this.onmessage?.({ jsonrpc: "2.0", id, error });
    }
    const inputRequests = { [String(id)]: { method, params } };
    const result = { resultType: "input_required", inputRequests, requestState: stateOf(call.id) };
    const asked = call.asked;
    call.asked = null;
    await this.#inner.send({ jsonrpc: "2.0", id: asked, result });
  }

  async #notify(message: JSONRPCMessage): Promise<void> {
    if (!isJSONRPCNotification(message) || message.method !== "notifications/progress") return;
    const call = [...this.#calls.values()].find(({ token }) => token === message.params?.["progressToken"]);
    if (call === undefined || call.asked === null) return;
    await this.#inner.send({ ...message, params: { ...message.params, progressToken: call.askedToken } });
  }
}

const HANDSHAKE = "troupe-handshake";

/** An id as text that keeps whether it was a number. */
function stateOf(id: RequestId): string {
  return JSON.stringify(id);
}

function idOf(text: string): RequestId {
  try {
    const { data } = z.union([z.string(), z.number()]).safeParse(JSON.parse(text));
    return data ?? text;
  } catch {
    return text;
  }
}
