import { PassThrough } from "node:stream";
import {
  AbstractMessageWriter,
  CancellationTokenSource,
  createMessageConnection,
  type DataCallback,
  type Disposable,
  ErrorCodes,
  Message,
  type MessageConnection,
  type MessageWriter,
  NullLogger,
  ResponseError,
  StreamMessageReader,
} from "vscode-jsonrpc/node";
import type { Clock } from "../lib/clock.ts";

/** Messages of a server within the period; more are a flood. */
const MOST_MESSAGES = 20_000;
const PERIOD_MS = 10_000;
/** Bytes of one message: the symbols of a large project are a few megabytes. */
const MOST_MESSAGE = 16 * 1024 * 1024;

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

export type RpcConnection = ReturnType<typeof openConnection>;

export function openConnection(ports: ConnectionPorts) {
  const reader = new BoundedReader(ports);
  const rpc: MessageConnection = createMessageConnection(reader, new PipeWriter(ports.send), NullLogger);
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
    receive: (bytes: Uint8Array) => reader.receive(bytes),
    /** Rejects only if the signal is aborted. Cancels the request then, and if it is late. */
    async request(method: string, params: unknown, ms: number, signal?: AbortSignal): Promise<RpcReply> {
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
    notify(method: string, params: unknown) {
      if (!isClosed) void rpc.sendNotification(method, params).catch(() => {});
    },
    /** Ends every open request as `gone`. */
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

/** Reads a server's output with bounds that the package lacks: on a message, and on messages per time. */
class BoundedReader extends StreamMessageReader {
  readonly #ports: ConnectionPorts;
  readonly #output: PassThrough;
  #isBroken = false;
  #isFirst = true;
  #unread = 0;
  #since: number;
  #messages = 0;

  constructor(ports: ConnectionPorts, output = new PassThrough()) {
    super(output);
    this.#ports = ports;
    this.#output = output;
    this.#since = ports.clock.now();
    this.onError(({ message }) => this.#break(`its output is not the protocol (${message.slice(0, 200)})`));
  }

  /** Notifications bypass the package's queue, which handles one message per turn of the event loop. */
  override listen(callback: DataCallback): Disposable {
    return super.listen((message) => {
      if (this.#isBroken) return;
      this.#unread = 0;
      if (this.#isFlood())
        this.#break(`it sent more than ${MOST_MESSAGES} messages in ${PERIOD_MS / 1_000} s`);
      else if (Message.isNotification(message)) this.#ports.onNotification(message.method, message.params);
      else callback(message);
    });
  }

  stop(): void {
    this.#isBroken = true;
    this.#output.destroy();
  }

  receive(bytes: Uint8Array): void {
    if (this.#isBroken) return;
    // The package would wait for the end of a header that never ends.
    const isText = this.#isFirst && !/^content-/i.test(Buffer.from(bytes.subarray(0, 16)).toString("latin1"));
    this.#isFirst = false;
    this.#unread += bytes.length;
    if (isText) this.#break("its output is not the protocol");
    else if (this.#unread > MOST_MESSAGE)
      this.#break(`a message has more than ${MOST_MESSAGE} bytes, and at most these are read`);
    else this.#output.write(bytes);
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
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#ports.onBroken(why);
  }
}

/** Sends immediately, so that what follows the last message, the end of the input, comes after it. */
class PipeWriter extends AbstractMessageWriter implements MessageWriter {
  readonly #send: (bytes: Uint8Array) => void;

  constructor(send: (bytes: Uint8Array) => void) {
    super();
    this.#send = send;
  }

  async write(message: Message): Promise<void> {
    const body = Buffer.from(JSON.stringify(message));
    this.#send(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
  }

  end(): void {}
}
