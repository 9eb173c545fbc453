import * as z from "zod/mini";

/** The requests that one side serves. Each body is checked on arrival. */
export type Requests = {
  readonly [method: string]: {
    readonly request: z.ZodMiniType;
    readonly response: z.ZodMiniType;
    /** Events of a request while it is served. */
    readonly event?: z.ZodMiniType;
  };
};

export type RequestOf<T extends Requests, M extends keyof T> = z.infer<T[M]["request"]>;
export type ResponseOf<T extends Requests, M extends keyof T> = z.infer<T[M]["response"]>;
export type EventOf<T extends Requests, M extends keyof T> = T[M] extends { readonly event: infer E }
  ? z.infer<E>
  : never;

export interface Serving<Event> {
  /** Aborted when the caller cancels, or has gone. */
  readonly signal: AbortSignal;
  /** Sends the caller an event before the response. */
  event(event: Event): void;
}

/** The functions that serve a table. */
export type Handlers<T extends Requests> = {
  readonly [M in keyof T]: (
    request: RequestOf<T, M>,
    serving: Serving<EventOf<T, M>>,
  ) => ResponseOf<T, M> | Promise<ResponseOf<T, M>>;
};

/** A handler whose name alone is known: the table has checked its request. */
export type Handler = (request: unknown, serving: Serving<unknown>) => unknown;

/** The one-way messages that one side receives. */
export type Notices = { readonly [name: string]: z.ZodMiniType };

export type NoticeHandlers<N extends Notices> = {
  readonly [Name in keyof N]: (notice: z.infer<N[Name]>) => void;
};

/** Returns a schema for bodies that our own code builds: typed, without a check. */
export function unchecked<T>(): z.ZodMiniType<T> {
  return z.custom<T>();
}
