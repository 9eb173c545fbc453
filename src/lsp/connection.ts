import {
  AbstractMessageReader,
  AbstractMessageWriter,
  CancellationTokenSource,
  createMessageConnection,
  type DataCallback,
  Disposable,
  ErrorCodes,
  Message,
  type MessageConnection,
  type MessageWriter,
  NullLogger,
  ResponseError,
} from "vscode-jsonrpc/node";
import type { Clock } from "../mailbox/clock.ts";
import { FrameError, FrameReader, frame } from "./framing.ts";

/** Messages of a server within the period; more are a flood. */
const MOST_MESSAGES = 20_000;
const PERIOD_MS = 10_000;

/** The result of a request. `gone`: the connection ended first. */
export type RpcReply =
  | { readonly type: "answer"; readonly value: unknown }
  | { readonly type: "refused"; readonly reason: string; readonly code: number | null }
  | { readonly type: "late" }
  | { readonly type: "gone" };

export interface ConnectionPorts {
  readonly clock: Clock;
  send(bytes: Uint8Array): void;
  onNotification(method: string, params: unknown): void;
  /** Returns undefined for an unknown method. */
  onRequest(method: string, params: unknown): unknown;
  /** Called once, with a clause, when the connection is unusable. */
  onBroken(why: string): void;
}

/** The protocol over the pipes of one server. */
export interface RpcConnection {
  receive(bytes: Uint8Array): void;
  /** Rejects only if the signal is aborted. Cancels the request then, and if it is late. */
  request(method: string, params: unknown, ms: number, signal?: AbortSignal): Promise<RpcReply>;
  notify(method: string, params: unknown): void;
  /** Ends every open request as `gone`. */
  close(): void;
}

export function openConnection(ports: ConnectionPorts): RpcConnection {
  const reader = new PipeReader(ports);
  const rpc: MessageConnection = createMessageConnection(reader, new PipeWriter(ports.send), NullLogger);
  /** Ends the open requests. */
  const open = new Set<() => void>();
  let isClosed = false;
  rpc.onRequest((method: string, params: unknown) => {
    const answer = ports.onRequest(method, params);
    return answer === undefined
      ? new ResponseError(ErrorCodes.MethodNotFound, `unknown method ${method}`)
      : answer;
  });
  // Without a listener the function that sends would throw the error.
  rpc.onError(() => {});
  rpc.listen();

  return {
    receive: (bytes) => reader.receive(bytes),
    async request(method, params, ms, signal) {
      signal?.throwIfAborted();
      if (isClosed) return { type: "gone" };
      const { promise, resolve } = Promise.withResolvers<RpcReply>();
      const source = new CancellationTokenSource();
      const end = () => resolve({ type: "late" });
      const gone = () => resolve({ type: "gone" });
      const withdraw = ports.clock.after(ms, end);
      signal?.addEventListener("abort", end, { once: true });
      open.add(gone);
      try {
        rpc.sendRequest<unknown>(method, params, source.token).then(
          (value) => resolve({ type: "answer", value }),
          (error: Error) => resolve(toRefusal(error)),
        );
        const reply = await promise;
        if (reply.type === "late") source.cancel();
        signal?.throwIfAborted();
        return reply;
      } finally {
        withdraw();
        open.delete(gone);
        signal?.removeEventListener("abort", end);
      }
    },
    notify(method, params) {
      if (!isClosed) void rpc.sendNotification(method, params).catch(() => {});
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      for (const gone of open) gone();
      reader.stop();
      rpc.dispose();
    },
  };
}

function toRefusal(error: Error): RpcReply {
  return { type: "refused", reason: error.message, code: error instanceof ResponseError ? error.code : null };
}

/**
 * Reads a server's output with bounds that the package's own reader lacks: on a header, a message, and messages per time.
 * Notifications bypass the package's queue, which handles one message per turn of the event loop.
 */
class PipeReader extends AbstractMessageReader {
  readonly #ports: ConnectionPorts;
  readonly #frames = new FrameReader();
  #callback: DataCallback = () => {};
  #isBroken = false;
  #since: number;
  #messages = 0;

  constructor(ports: ConnectionPorts) {
    super();
    this.#ports = ports;
    this.#since = ports.clock.now();
  }

  listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    return Disposable.create(() => {});
  }

  stop(): void {
    this.#isBroken = true;
  }

  receive(bytes: Uint8Array): void {
    if (this.#isBroken) return;
    try {
      for (const message of this.#frames.push(bytes)) {
        this.#take(message);
        if (this.#isBroken) return;
      }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#break(error.message);
    }
  }

  #take(bytes: Uint8Array): void {
    const message = parsed(bytes);
    if (message === null) this.#break("a message is not JSON-RPC");
    else if (this.#isFlood())
      this.#break(`it sent more than ${MOST_MESSAGES} messages in ${PERIOD_MS / 1_000} s`);
    else if (Message.isNotification(message)) this.#ports.onNotification(message.method, message.params);
    else this.#callback(message);
  }

  #isFlood(): boolean {
    const now = this.#ports.clock.now();
    if (now - this.#since > PERIOD_MS) {
      this.#since = now;
      this.#messages = 0;
    }
    this.#messages += 1;
    return this.#messages > MOST_MESSAGES;
  }

  #break(why: string): void {
    this.#isBroken = true;
    this.#ports.onBroken(why);
  }
}

function parsed(bytes: Uint8Array): Message | null {
  try {
    const value: unknown = JSON.parse(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"),
    );
    const isMessage =
      typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
    return isMessage ? { ...value, jsonrpc: "2.0" } : null;
  } catch {
    return null;
  }
}

class PipeWriter extends AbstractMessageWriter implements MessageWriter {
  readonly #send: (bytes: Uint8Array) => void;

  constructor(send: (bytes: Uint8Array) => void) {
    super();
    this.#send = send;
  }

  async write(message: Message): Promise<void> {
    this.#send(frame(message));
  }

  end(): void {}
}
