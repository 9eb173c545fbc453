import * as z from "zod/mini";
import type { Clock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import type { Channel } from "./channel.ts";
import { type Failure, type Frame, failure, type Result } from "./frames.ts";
import type { EventOf, RequestOf, Requests, ResponseOf } from "./table.ts";

export interface CallOptions<Event = never> {
  readonly signal?: AbortSignal | undefined;
  /** A cancelled request settles only with the response, as the other side may have to undo something first. */
  readonly waitsForCancel?: true;
  /** Milliseconds. A late request is cancelled and not awaited. */
  readonly deadlineMs?: number;
  readonly onEvent?: ((event: Event) => void) | undefined;
  /** The same request under the same key is served once. */
  readonly key?: string;
  /** The caller does not wait for the response. */
  readonly patient?: boolean;
  /** Times it may be sent again over another channel if one closes first. */
  readonly replays?: number;
  readonly onReplay?: () => void;
}

interface Open {
  readonly frame: Omit<Extract<Frame, { type: "request" }>, "body">;
  readonly body: unknown;
  readonly options: CallOptions<unknown>;
  readonly settle: (result: Result<unknown>) => void;
  replays: number;
}

export interface CallerOptions {
  readonly clock: Pick<Clock, "after">;
  /** The other side, as the subject of messages. */
  readonly peer: string;
  /** Called if a response or an event does not fit the table. */
  readonly onMalformed?: () => void;
  /** Called when no request is open. */
  readonly onIdle?: () => void;
}

/** The calling side of a table. It outlives its channel: another one can replace one that closed. */
export class Caller<T extends Requests> {
  readonly #table: T;
  readonly #options: CallerOptions;
  readonly #open = new Map<number, Open>();
  #channel: Channel | null = null;
  #last = 0;

  constructor(table: T, options: CallerOptions) {
    this.#table = table;
    this.#options = options;
  }

  /** Requests without a result. */
  get open(): number {
    return this.#open.size;
  }

  /** Sends requests over this channel from now on, the open ones first. */
  attach(channel: Channel): void {
    this.#channel = channel;
    channel.onFrame((frame) => {
      if (this.#channel === channel) this.#receive(frame);
    });
    channel.onClose(() => {
      if (this.#channel === channel) this.detach(this.#goneText());
    });
    for (const open of [...this.#open.values()]) {
      open.options.onReplay?.();
      this.#send(open);
    }
  }

  /** Leaves its channel. Requests that may be sent again wait for the next one; the others fail. */
  detach(message: string): void {
    this.#channel = null;
    for (const open of [...this.#open.values()]) {
      open.replays -= 1;
      if (open.replays < 0 || open.options.signal?.aborted) open.settle(failure("gone", message));
    }
  }

  /** Fails every open request, as no other channel will come. */
  giveUp(message: string): void {
    for (const { settle } of [...this.#open.values()]) settle(failure("gone", message));
  }

  /** Never rejects. `body`: a function builds it each time it is sent, if it depends on what its channel has carried. */
  call<M extends keyof T & string>(
    method: M,
    body: RequestOf<T, M> | (() => RequestOf<T, M>),
    options: CallOptions<EventOf<T, M>> = {},
  ): Promise<Result<ResponseOf<T, M>>> {
    const { signal, key, deadlineMs, patient = false, replays = 0 } = options;
    if (signal?.aborted) return Promise.resolve(CANCELLED);
    const id = ++this.#last;
    const { promise, resolve } = Promise.withResolvers<Result<ResponseOf<T, M>>>();
    const settle = (result: Result<unknown>) => {
      if (!this.#open.delete(id)) return;
      withdraw();
      signal?.removeEventListener("abort", cancel);
      // Checked by the table that this type comes from.
      resolve(result as Result<ResponseOf<T, M>>);
      if (this.#open.size > 0) return;
      this.#channel?.hold(false);
      this.#options.onIdle?.();
    };
    const stop = (result: Failure, waits = false) => {
      this.#channel?.post({ type: "cancel", id });
      if (!waits || this.#channel === null) settle(result);
    };
    const cancel = () => stop(CANCELLED, options.waitsForCancel);
    const withdraw =
      deadlineMs === undefined
        ? () => {}
        : this.#options.clock.after(deadlineMs, () => stop(failure("late", this.#late(deadlineMs))));
    const frame = {
      type: "request" as const,
      ...{ id, method },
      ...(key === undefined ? {} : { key }),
      ...(patient ? { patient } : {}),
    };
    const open: Open = { frame, body, options: options as CallOptions<unknown>, settle, replays };
    this.#open.set(id, open);
    signal?.addEventListener("abort", cancel, { once: true });
    if (this.#channel !== null) this.#send(open);
    else if (replays === 0) settle(failure("gone", this.#goneText()));
    return promise;
  }

  #send({ frame, body, settle }: Open): void {
    try {
      this.#channel?.hold(true);
      this.#channel?.post({ ...frame, body: typeof body === "function" ? body() : body });
    } catch (error) {
      settle(failure("unsendable", errorMessage(error)));
    }
  }

  #receive(frame: Frame): void {
    if (frame.type !== "response" && frame.type !== "event") return;
    const open = this.#open.get(frame.id);
    // Its caller has another result already.
    if (open === undefined) return;
    const { settle, options } = open;
    const types = this.#table[open.frame.method];
    if (frame.type === "event") {
      const parsed = types?.event && z.safeParse(types.event, frame.body);
      if (parsed?.success) options.onEvent?.(parsed.data);
      else this.#options.onMalformed?.();
    } else if (frame.result.ok) {
      const parsed = types && z.safeParse(types.response, frame.result.value);
      if (parsed?.success) settle({ ok: true, value: parsed.data });
      else {
        settle(
          failure("malformed", `${this.#options.peer} answered something else to ${open.frame.method}.`),
        );
        this.#options.onMalformed?.();
      }
    } else settle(frame.result);
  }

  #goneText(): string {
    return `${this.#options.peer} is gone; no answer will come`;
  }

  #late(ms: number): string {
    return `${this.#options.peer} did not answer within ${Math.round(ms / 1_000)} s.`;
  }
}

const CANCELLED = failure("cancelled", "The request was cancelled.");
