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
import { META, type ParamHeaders, STATELESS, UNSUPPORTED_VERSION } from "./stateless-fetch.ts";

/** How often a server may ask for more before it answers one request. */
const MAX_ROUNDS = 10;
/** A message that is nested more deeply ends the process that writes it as JSON, or that it is sent to. */
const MAX_LEVELS = 500;

const Discovered = z.object({
  supportedVersions: z.array(z.string()),
  capabilities: z.looseObject({}),
  instructions: z.optional(z.string()),
  _meta: z.optional(z.looseObject({})),
});
const InputRequired = z.object({
  resultType: z.literal("input_required"),
  inputRequests: z.optional(
    z.record(z.string(), z.object({ method: z.string(), params: z.optional(z.looseObject({})) })),
  ),
  requestState: z.optional(z.string()),
});
type InputRequired = z.infer<typeof InputRequired>;

interface OpenRequest {
  /** As the client sent it. */
  readonly request: JSONRPCRequest;
  readonly rounds: number;
}

/**
 * Lets a client of the older protocol use servers that speak only MCP 2026-07-28, which has no handshake. A server that
 * accepts the handshake is not asked for more, so nothing changes for it. Otherwise this answers the handshake with
 * what `server/discover` returns, says in each request what the handshake would have said, and answers what a server
 * asks before it can end a request.
 */
export class StatelessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  readonly #inner: Transport;
  readonly #paramHeaders: ParamHeaders;
  readonly #open = new Map<RequestId, OpenRequest>();
  /** Our own requests, and those of the server that the client is answering. */
  readonly #own = new Map<RequestId, (message: JSONRPCMessage) => void>();
  #handshake: JSONRPCRequest | null = null;
  #envelope: Record<string, unknown> | null = null;
  #count = 0;

  constructor(inner: Transport, paramHeaders: ParamHeaders) {
    this.#inner = inner;
    this.#paramHeaders = paramHeaders;
  }

  start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message) => this.#check(message);
    return this.#inner.start();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  setProtocolVersion(version: string): void {
    if (this.#envelope === null) this.#inner.setProtocolVersion?.(version);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#envelope !== null) return this.#sendStateless(message);
    if (!isJSONRPCRequest(message) || message.method !== "initialize") return this.#inner.send(message);
    this.#handshake = message;
    try {
      await this.#inner.send(message);
    } catch (error) {
      // Over HTTP the error is in the body of a refusal.
      if (!/"code"\s*:\s*-32(022|601)\b/.test(String(error))) throw error;
      await this.#discover(message);
    }
  }

  /** The one door: what is too deep goes no further than this. */
  #check(message: JSONRPCMessage): void {
    if (!isDeeperThan(MAX_LEVELS, message)) return void this.#receive(message);
    const problem = `its message is nested more than ${MAX_LEVELS} levels deep`;
    if ("method" in message || message.id === undefined) return void this.onerror?.(new Error(problem));
    const error = { code: ErrorCode.InternalError, message: problem };
    this.#receive({ jsonrpc: "2.0", id: message.id, error });
  }

  #receive(message: JSONRPCMessage): void {
    const id = "id" in message && !("method" in message) ? message.id : undefined;
    const handshake = this.#handshake;
    if (handshake !== null && id === handshake.id) {
      this.#handshake = null;
      const code = isJSONRPCErrorResponse(message) ? message.error.code : 0;
      if (code !== UNSUPPORTED_VERSION && code !== ErrorCode.MethodNotFound)
        return void this.onmessage?.(message);
      return void this.#discover(handshake).catch((error: unknown) => this.#fail(handshake.id, error));
    }
    if (id === undefined || this.#envelope === null) return void this.onmessage?.(message);
    const own = this.#own.get(id);
    if (own !== undefined) {
      this.#own.delete(id);
      own(message);
      return;
    }
    const open = this.#open.get(id);
    if (open === undefined) return void this.onmessage?.(message);
    this.#open.delete(id);
    if (open.request.method === "tools/list" && "result" in message) this.#paramHeaders.learn(message.result);
    const { data: asked } = InputRequired.safeParse("result" in message ? message.result : null);
    if (asked === undefined) return void this.onmessage?.({ ...message, id: open.request.id });
    void this.#answer(open, asked).catch((error: unknown) => this.#fail(open.request.id, error));
  }

  #fail(id: RequestId, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.onmessage?.({ jsonrpc: "2.0", id, error: { code: ErrorCode.InternalError, message } });
  }

  async #discover({ id, params = {} }: JSONRPCRequest): Promise<void> {
    this.#handshake = null;
    this.#envelope = {
      [`${META}/protocolVersion`]: STATELESS,
      [`${META}/clientInfo`]: params["clientInfo"],
      [`${META}/clientCapabilities`]: params["capabilities"],
    };
    this.#inner.setProtocolVersion?.(STATELESS);
    const answer = await this.#ask("server/discover", {});
    if (isJSONRPCErrorResponse(answer)) throw new Error(answer.error.message);
    const { data } = Discovered.safeParse("result" in answer ? answer.result : null);
    if (data === undefined || !data.supportedVersions.includes(STATELESS))
      throw new Error(`it speaks neither MCP ${LATEST_PROTOCOL_VERSION} nor ${STATELESS}`);
    const serverInfo = data._meta?.[`${META}/serverInfo`] ?? { name: "", version: "" };
    const { capabilities, instructions } = data;
    const result = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities, serverInfo };
    this.#listen(capabilities);
    this.onmessage?.({
      ...{ jsonrpc: "2.0", id },
      result: { ...result, ...(instructions === undefined ? {} : { instructions }) },
    });
  }

  /** Has the server report changes of its lists; the request stays open. */
  #listen(capabilities: Readonly<Record<string, unknown>>): void {
    const changes = z.looseObject({ listChanged: z.literal(true) });
    const kinds = ["tools", "prompts", "resources"].filter(
      (kind) => changes.safeParse(capabilities[kind]).success,
    );
    if (kinds.length === 0) return;
    const notifications = Object.fromEntries(kinds.map((kind) => [`${kind}ListChanged`, true]));
    this.#ask("subscriptions/listen", { notifications }).catch((error: unknown) =>
      this.onerror?.(error instanceof Error ? error : new Error(String(error))),
    );
  }

  /** Resolves with the answer to a request of our own. */
  #ask(method: string, params: Readonly<Record<string, unknown>>): Promise<JSONRPCMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<JSONRPCMessage>();
    const id = this.#ownId();
    this.#own.set(id, resolve);
    this.#inner
      .send(this.#enclosed({ jsonrpc: "2.0", id, method, params: { ...params } }))
      .catch((error: unknown) => {
        this.#own.delete(id);
        reject(error);
      });
    return promise;
  }

  #ownId(): string {
    this.#count += 1;
    return `troupe-${this.#count}`;
  }

  #enclosed(request: JSONRPCRequest): JSONRPCRequest {
    const { _meta, ...params } = request.params ?? {};
    return { ...request, params: { ...params, _meta: { ..._meta, ...this.#envelope } } };
  }

  async #sendStateless(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCRequest(message)) return this.#sendRequest({ request: message, rounds: 0 }, {});
    if (isJSONRPCNotification(message)) return this.#notify(message);
    const own = message.id === undefined ? undefined : this.#own.get(message.id);
    if (message.id !== undefined) this.#own.delete(message.id);
    own?.(message);
  }

  #sendRequest(open: OpenRequest, more: Readonly<Record<string, unknown>>): Promise<void> {
    const { request, rounds } = open;
    // A server may remember ids, so a repeated request has a new one.
    const id = rounds === 0 ? request.id : this.#ownId();
    this.#open.set(id, open);
    return this.#inner.send(this.#enclosed({ ...request, id, params: { ...request.params, ...more } }));
  }

  /** There is nothing to initialize, and only requests that are open can be cancelled. */
  async #notify(message: JSONRPCMessage): Promise<void> {
    if (!("method" in message) || message.method !== "notifications/cancelled") return;
    const { requestId } = message.params ?? {};
    const [id] = [...this.#open].find(([, { request }]) => request.id === requestId) ?? [];
    if (id === undefined) return;
    this.#open.delete(id);
    await this.#inner.send({ ...message, params: { ...message.params, requestId: id } });
  }

  /** Has the client answer what the server asks, and sends the request again with the answers. */
  async #answer({ request, rounds }: OpenRequest, asked: InputRequired): Promise<void> {
    if (rounds >= MAX_ROUNDS) throw new Error(`it asked more than ${MAX_ROUNDS} times before it answered`);
    const wanted = Object.entries(asked.inputRequests ?? {});
    const answers = wanted.map(async ([name, one]) => [name, await this.#input(one)] as const);
    const inputResponses = Object.fromEntries(await Promise.all(answers));
    const { requestState } = asked;
    await this.#sendRequest(
      { request, rounds: rounds + 1 },
      { inputResponses, ...(requestState === undefined ? {} : { requestState }) },
    );
  }

  async #input({
    method,
    params = {},
  }: {
    readonly method: string;
    readonly params?: object | undefined;
  }): Promise<object> {
    const { promise, resolve } = Promise.withResolvers<JSONRPCMessage>();
    const id = this.#ownId();
    this.#own.set(id, resolve);
    this.onmessage?.({ jsonrpc: "2.0", id, method, params: { ...params } });
    const answer = await promise;
    if (isJSONRPCResultResponse(answer)) return answer.result;
    throw new Error(isJSONRPCErrorResponse(answer) ? answer.error.message : `${method} has no answer`);
  }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
