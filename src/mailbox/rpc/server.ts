import { MessagePort, type Transferable } from "node:worker_threads";
import * as z from "zod/mini";
import { errorMessage } from "../../lib/errors.ts";
import type { Channel } from "./channel.ts";
import { type Frame, failure, type Result } from "./frames.ts";
import type { Handler, Handlers, NoticeHandlers, Notices, Requests } from "./table.ts";

export interface ServeOptions {
  /** How many results of requests with a key are remembered; for `large` ones only that they were served. */
  readonly remember?: { readonly most: number; readonly large: ReadonlySet<string> };
  /** Converts an error; by default to a failure with its message. */
  readonly onError?: (error: unknown, method: string) => Result<unknown>;
}

export interface Server {
  /** Serves nothing new and cancels what is being served; resolves when that has ended. */
  close(): Promise<void>;
}

type Request = Extract<Frame, { type: "request" }>;

const SERVED = failure("failed", "This was answered before.");

/** Serves a table's requests, several at a time, until the channel closes. */
export function serve<T extends Requests>(
  channel: Channel,
  table: T,
  handlers: Handlers<T>,
  { remember, onError = failed }: ServeOptions = {},
): Server {
  const open = new Map<number, { readonly abort: AbortController; readonly done: Promise<void> }>();
  const remembered = new Map<string, Promise<Result<unknown>>>();
  let isClosing = false;

  const run = async ({ id, method, body }: Request, signal: AbortSignal): Promise<Result<unknown>> => {
    const types = Object.hasOwn(table, method) ? table[method] : undefined;
    if (types === undefined) return failure("malformed", `There is no request ${JSON.stringify(method)}.`);
    const parsed = z.safeParse(types.request, body);
    if (!parsed.success) return failure("malformed", `malformed ${method}: ${z.prettifyError(parsed.error)}`);
    const event = (content: unknown) => channel.post({ type: "event", id, body: content });
    try {
      const handler = handlers[method] as Handler;
      return { ok: true, value: await handler(parsed.data, { signal, event }) };
    } catch (error) {
      if (signal.aborted && error === signal.reason)
        return failure("cancelled", "The request was cancelled.");
      return onError(error, method);
    }
  };

  const runOnce = (request: Request, signal: AbortSignal): Promise<Result<unknown>> => {
    const { method, key } = request;
    if (key === undefined || remember === undefined) return run(request, signal);
    const name = `${method}:${key}`;
    const before = remembered.get(name);
    if (before !== undefined) return before;
    const result = run(request, signal);
    remembered.set(name, result);
    if (remember.large.has(method))
      void result.then(() => remembered.has(name) && remembered.set(name, Promise.resolve(SERVED)));
    const oldest = remembered.size > remember.most ? remembered.keys().next() : undefined;
    if (oldest && !oldest.done) remembered.delete(oldest.value);
    return result;
  };

  const respond = ({ id, patient }: Request, result: Result<unknown>) => {
    open.delete(id);
    const response = { type: "response", id, ...(patient ? { patient } : {}) } as const;
    try {
      channel.post({ ...response, result }, portsOf(result));
    } catch (error) {
      channel.post({ ...response, result: failed(error) });
    }
  };

  channel.onFrame((frame) => {
    if (frame.type === "cancel") open.get(frame.id)?.abort.abort(new Error("cancelled"));
    if (frame.type !== "request" || isClosing || open.has(frame.id)) return;
    const abort = new AbortController();
    const done = runOnce(frame, abort.signal).then((result) => respond(frame, result));
    open.set(frame.id, { abort, done });
  });
  const close = async () => {
    isClosing = true;
    for (const { abort } of open.values()) abort.abort(new Error("cancelled"));
    await Promise.all([...open.values()].map(({ done }) => done));
  };
  channel.onClose(() => void close());
  return { close };
}

/** Receives one-way messages. Unknown ones go to `onMalformed`. */
export function receive<N extends Notices>(
  channel: Channel,
  notices: N,
  handlers: NoticeHandlers<N>,
  onMalformed: () => void = () => {},
): void {
  channel.onFrame((frame) => {
    if (frame.type !== "notice") return;
    const type = Object.hasOwn(notices, frame.name) ? notices[frame.name] : undefined;
    const parsed = type && z.safeParse(type, frame.body);
    const handler = handlers[frame.name] as (notice: unknown) => void;
    if (parsed?.success) handler(parsed.data);
    else onMalformed();
  });
}

export interface NoticeOptions {
  /** Ports in it. */
  readonly transfer?: readonly Transferable[];
  readonly patient?: true;
}

/** Sends one-way messages. */
export function sender<N extends Notices>(channel: Channel) {
  return <Name extends keyof N & string>(
    name: Name,
    body: z.infer<N[Name]>,
    { transfer, ...patience }: NoticeOptions = {},
  ): void => channel.post({ type: "notice", name, body, ...patience }, transfer);
}

/** Finds ports, which are transferred rather than copied. */
function portsOf(result: Result<unknown>): MessagePort[] {
  return result.ok && result.value instanceof MessagePort ? [result.value] : [];
}

function failed(error: unknown): Result<unknown> {
  return failure("failed", errorMessage(error));
}
