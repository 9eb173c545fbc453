import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A Messages API to test and measure against: real HTTP, real server-sent events, on a free port of the
 * loopback. Nothing but node:http, and one write per reply unless pieces are asked for, so that a benchmark
 * measures us and not the server.
 */
export interface MessagesServer {
  /** The base URL, without `/v1`. */
  readonly url: string;
  readonly port: number;
  /** Every request so far, in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Sockets opened so far. */
  readonly connections: () => number;
  /** Resolves with the n-th request (from 0) as soon as it is there. */
  request(n: number): Promise<RecordedRequest>;
  /** Ends every socket, then the server. */
  close(): Promise<void>;
}

export interface RecordedRequest {
  /** From 0. */
  readonly n: number;
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: string;
  /** The parsed body. */
  readonly body: RequestBody;
  /** Resolves when the answer is over: `complete`, or `broken` by the client before that. */
  readonly ended: Promise<"complete" | "broken">;
}

export interface RequestBody {
  readonly model: string;
  readonly max_tokens: number;
  readonly system?: readonly { readonly type: string; readonly text: string }[];
  readonly tools?: readonly { readonly name: string }[];
  /** Roles are user, assistant and system. */
  readonly messages: readonly RequestMessage[];
  readonly [field: string]: unknown;
}

export interface RequestMessage {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly [field: string]: unknown }[];
}

export interface ServedCall {
  readonly name: string;
  readonly input: unknown;
  readonly id?: string;
  /** In place of the input's JSON, for a model that writes broken JSON. */
  readonly rawInput?: string;
}

/** What the server does with one request. The default is a whole reply with one empty text. */
export interface ServedReply {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly ServedCall[];
  readonly stopReason?: string | null;
  readonly usage?: Readonly<Record<string, number>>;
  /** Milliseconds before the first byte. */
  readonly delayMs?: number;
  /** Pieces that each text, thinking and input comes in (default 1). */
  readonly chunks?: number;
  /** Milliseconds between two pieces. */
  readonly chunkDelayMs?: number;

  /** Once these words have been sent, within one piece, the rest waits for that. */
  readonly held?: { readonly after: string; readonly until: Promise<unknown> };

  /** A plain answer in place of a stream. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;

  /** Events of a stream in place of those made from text and calls. */
  readonly events?: readonly ServedEvent[];
  /** Bytes of the stream in place of all the above, one write each. */
  readonly bytes?: readonly (string | Uint8Array)[];
  readonly lineEnd?: "\n" | "\r\n" | "\r";
  /** Only so much of the stream is sent: a number of bytes, or up to where this text begins. */
  readonly upTo?: number | string;
  /** After the last byte: the stream ends, the socket is destroyed, or it stays open with or without pings. */
  readonly ending?: "end" | "reset" | "stall" | "pings";
  /** Milliseconds between pings (default 5). */
  readonly pingMs?: number;
}

export interface ServedEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export type Handler = (request: RecordedRequest) => ServedReply | Promise<ServedReply>;

export interface ServerOptions {
  /** Keeps requests (default true); a long benchmark does not want them. */
  readonly record?: boolean;
}

export async function startMessagesServer(
  handler: Handler,
  { record = true }: ServerOptions = {},
): Promise<MessagesServer> {
  const requests: RecordedRequest[] = [];
  const awaited = new Map<number, (request: RecordedRequest) => void>();
  let count = 0;
  let connections = 0;

  const server = createServer({ keepAliveTimeout: 60_000, noDelay: true }, (incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on("data", (piece: Buffer) => pieces.push(piece));
    incoming.on("end", () => {
      const request = recorded(count++, incoming, response, Buffer.concat(pieces));
      if (record) requests.push(request);
      awaited.get(request.n)?.(request);
      awaited.delete(request.n);
      const refused = record ? oddity(request.rawBody) : null;
      const answer = refused === null ? handler : () => apiError(400, "invalid_request_error", refused);
      serve(answer, request, response).catch((error) => {
        response.writeHead(500, { "content-type": "text/plain" }).end(`the handler failed: ${error}`);
      });
    });
  });
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    request(n) {
      const there = requests[n];
      return there ? Promise.resolve(there) : new Promise((resolve) => awaited.set(n, resolve));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What no API takes, whatever a test is about: half a character, or an ID or name of a call with other characters. */
function oddity(raw: string): string | null {
  // JSON.stringify escapes a half, and nothing else that begins like that.
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/i.test(raw))
    return "The request body is not valid JSON: no low surrogate in string";
  const named = /"type":"tool_use","id":"([^"]*)","name":"([^"]*)"|"tool_use_id":"([^"]*)"/g;
  for (const [, ...names] of raw.matchAll(named)) {
    const odd = names.find((name) => name !== undefined && !/^[a-zA-Z0-9_-]+$/.test(name));
    if (odd !== undefined) return `String should match pattern '^[a-zA-Z0-9_-]+$': ${odd}`;
  }
  return null;
}

function recorded(
  n: number,
  incoming: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
): RecordedRequest {
  const rawBody = bytes.toString("utf8");
  let parsed: RequestBody | undefined;
  return {
    n,
    at: performance.now(),
    method: incoming.method ?? "",
    path: incoming.url ?? "",
    headers: incoming.headers,
    rawBody,
    // Parsed when somebody looks: a handler may do with less.
    get body() {
      parsed ??= JSON.parse(rawBody) as RequestBody;
      return parsed;
    },
    ended: new Promise((resolve) => {
      response.once("close", () => resolve(response.writableFinished ? "complete" : "broken"));
    }),
  };
}

async function serve(handler: Handler, request: RecordedRequest, response: ServerResponse): Promise<void> {
  const reply = await handler(request);
  if (reply.delayMs) await wait(reply.delayMs);
  if (response.destroyed) return;
  if (reply.status !== undefined || reply.body !== undefined) {
    response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
    response.end(reply.body ?? "");
    return;
  }
  const writes = writesOf(reply, request);
  // A reset before the first byte is a reset before the headers.
  if (writes.length === 0 && reply.ending === "reset") return void response.destroy();
  response.writeHead(200, { "content-type": "text/event-stream", ...reply.headers });
  response.flushHeaders();
  const last = writes.pop();
  for (const bytes of writes) {
    await new Promise<void>((resolve) => response.write(bytes, () => resolve()));
    if (reply.chunkDelayMs) await wait(reply.chunkDelayMs);
    if (reply.held && Buffer.from(bytes).includes(reply.held.after))
      await Promise.race([reply.held.until, request.ended]);
    if (response.destroyed) return;
  }
  conclude(reply, response, last);
}

function conclude(reply: ServedReply, response: ServerResponse, last: Uint8Array | undefined): void {
  const send = (then: () => void) => (last ? response.write(last, then) : then());
  switch (reply.ending ?? "end") {
    case "end":
      response.end(last);
      return;
    case "reset":
      send(() => response.destroy());
      return;
    case "stall":
      send(() => {});
      return;
    case "pings": {
      const ping = () => response.write('event: ping\ndata: {"type":"ping"}\n\n');
      const timer = setInterval(ping, reply.pingMs ?? 5);
      response.once("close", () => clearInterval(timer));
      send(ping);
    }
  }
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function writesOf(reply: ServedReply, request: RecordedRequest): Uint8Array[] {
  if (reply.bytes)
    return reply.bytes.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece));
  const events = reply.events ?? eventsOf(reply, request.body.model, request.n);
  const frames = events.map((event) => frameOf(event, reply.lineEnd));
  if (reply.upTo !== undefined) {
    const whole = Buffer.from(frames.join(""));
    const end = typeof reply.upTo === "number" ? reply.upTo : whole.indexOf(reply.upTo);
    const part = whole.subarray(0, end < 0 ? whole.length : end);
    return part.length > 0 ? [part] : [];
  }
  // Pieces are only worth a write each when they are to arrive one by one.
  return reply.chunkDelayMs || reply.held
    ? frames.map((frame) => Buffer.from(frame))
    : [Buffer.from(frames.join(""))];
}

/** The bytes of a reply's stream, to be cut and sent by hand. */
export function streamOf(reply: ServedReply, model = "test-model", n = 0): Buffer {
  const events = reply.events ?? eventsOf(reply, model, n);
  return Buffer.from(events.map((event) => frameOf(event, reply.lineEnd)).join(""));
}

function frameOf(event: ServedEvent, lineEnd = "\n"): string {
  return `event: ${event.type}${lineEnd}data: ${JSON.stringify(event)}${lineEnd}${lineEnd}`;
}

/** The events of a whole reply, as the API sends them. */
export function eventsOf(reply: ServedReply, model = "test-model", n = 0): ServedEvent[] {
  const events: ServedEvent[] = [messageStart(reply, model, n)];
  const chunks = reply.chunks ?? 1;
  let index = 0;
  const block = (start: unknown, deltas: readonly unknown[]) => {
    events.push({ type: "content_block_start", index, content_block: start });
    for (const delta of deltas) events.push({ type: "content_block_delta", index, delta });
    events.push({ type: "content_block_stop", index });
    index += 1;
  };
  if (reply.thinking !== undefined)
    block({ type: "thinking", thinking: "", signature: "" }, [
      ...pieces(reply.thinking, chunks).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: `signature-${n}` },
    ]);
  if (reply.text !== undefined || !reply.calls?.length)
    block(
      { type: "text", text: "" },
      pieces(reply.text ?? "", chunks).map((text) => ({ type: "text_delta", text })),
    );
  for (const [place, call] of (reply.calls ?? []).entries())
    block(
      { type: "tool_use", id: call.id ?? `toolu_${n}_${place}`, name: call.name, input: {} },
      pieces(call.rawInput ?? JSON.stringify(call.input), chunks).map((partial_json) => ({
        type: "input_json_delta",
        partial_json,
      })),
    );
  const stop_reason = reply.stopReason ?? (reply.calls?.length ? "tool_use" : "end_turn");
  events.push({
    type: "message_delta",
    delta: { stop_reason: reply.stopReason === null ? null : stop_reason, stop_sequence: null },
    usage: { output_tokens: reply.usage?.["output_tokens"] ?? 20 },
  });
  events.push({ type: "message_stop" });
  return events;
}

function messageStart(reply: ServedReply, model: string, n: number): ServedEvent {
  return {
    type: "message_start",
    message: {
      id: `msg_${n}`,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 100, ...reply.usage, output_tokens: 1 },
    },
  };
}

/** Cuts between characters, never inside one. */
function pieces(text: string, count: number): string[] {
  const characters = [...text];
  const size = Math.max(1, Math.ceil(characters.length / count));
  const cut: string[] = [];
  for (let at = 0; at < characters.length; at += size) cut.push(characters.slice(at, at + size).join(""));
  return cut;
}

/** An error as the API words it. */
export function apiError(status: number, type: string, message: string, code?: string): ServedReply {
  const details = code === undefined ? {} : { details: { error_code: code } };
  return { status, body: JSON.stringify({ type: "error", error: { type, message, ...details } }) };
}

/** How many results of tools a conversation has. */
function toolResults(request: RecordedRequest): number {
  // Inside a string of JSON the quotes would be escaped, so this counts blocks and nothing else.
  return request.rawBody.split('"type":"tool_result"').length - 1;
}

/**
 * Plays `turns` turns of calls, then a final text, for any number of conversations at once: where each is
 * can be told from its messages. `call` may give several calls for one turn.
 */
export function toolLoop(
  turns: number,
  call: (turn: number, request: RecordedRequest) => ServedCall | readonly ServedCall[],
  every: ServedReply = {},
): Handler {
  return (request) => {
    const results = toolResults(request);
    let due = 0;
    for (let turn = 0; turn < turns; turn++) {
      const asked = call(turn, request);
      const calls = "name" in asked ? [asked] : asked;
      if (due >= results) return { ...every, text: `Turn ${turn + 1}.`, calls };
      due += calls.length;
    }
    return { ...every, text: `Done after ${turns} turns.` };
  };
}
