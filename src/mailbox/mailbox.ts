import type { MessagePort } from "node:worker_threads";
import * as z from "zod/mini";

/**
 * One actor's end of a typed mailbox: ordered, checked on arrival, bounded. Messages may be dropped if the other side
 * is slow; what must not be lost is a service call.
 */
export interface Mailbox<In, Out> {
  /** Sends a message. `queued`: the receiver is behind; `dropped`: so far behind that this message was discarded. */
  send(message: Out): "sent" | "queued" | "dropped";
  /** Sets the only reader. Earlier messages are kept and passed on in order. */
  onMail(reader: (message: In) => void): void;
  /** Resolves when either side has closed, or the other side's thread has ended. */
  readonly closed: Promise<void>;
  close(): void;
}

export interface MailboxOptions<In, Out> {
  readonly incoming: z.ZodMiniType<In>;
  /** A queued message replaces an earlier one with the same key (progress: only the newest counts). */
  readonly coalesce?: (message: Out) => string | undefined;
  /** Called with messages that cannot be delivered: malformed, or dropped for lack of space. */
  readonly onDeadLetter?: (letter: unknown, reason: string) => void;
}

/**
 * Ports have no back-pressure, and a flood starves the receiver's timers (measured: a 2 s timer never fired under
 * four flooding workers). So at most WINDOW messages are in flight; the rest wait at the sender, in its memory,
 * bounded by ROOM.
 */
const WINDOW = 512;
const ROOM = 4096;

type Frame = { readonly mail: unknown } | { readonly read: number };

export function portMailbox<In, Out>(
  port: MessagePort,
  { incoming, coalesce, onDeadLetter = () => {} }: MailboxOptions<In, Out>,
): Mailbox<In, Out> {
  const queue: Out[] = [];
  let onTheWay = 0;
  let unacknowledged = 0;
  let early: In[] = [];
  let reader: ((message: In) => void) | undefined;

  const post = (message: Out) => {
    onTheWay += 1;
    port.postMessage({ mail: message } satisfies Frame);
  };

  const enqueue = (message: Out): "queued" | "dropped" => {
    const key = coalesce?.(message);
    const same = key === undefined ? -1 : queue.findIndex((waiting) => coalesce?.(waiting) === key);
    if (same >= 0) {
      queue[same] = message;
      return "queued";
    }
    if (queue.length >= ROOM) {
      onDeadLetter(message, "the receiver is too far behind");
      return "dropped";
    }
    queue.push(message);
    return "queued";
  };

  const receive = (mail: unknown) => {
    unacknowledged += 1;
    if (unacknowledged >= WINDOW / 4) {
      port.postMessage({ read: unacknowledged } satisfies Frame);
      unacknowledged = 0;
    }
    const parsed = z.safeParse(incoming, mail);
    if (!parsed.success) onDeadLetter(mail, "malformed");
    else if (reader === undefined) early.push(parsed.data);
    else reader(parsed.data);
  };

  const acknowledged = (count: number) => {
    onTheWay -= count;
    for (const message of queue.splice(0, Math.max(0, WINDOW - onTheWay))) post(message);
  };

  port.on("message", (frame: unknown) => {
    if (typeof frame !== "object" || frame === null) return onDeadLetter(frame, "malformed");
    if ("mail" in frame) return receive(frame.mail);
    if ("read" in frame && typeof frame.read === "number") return acknowledged(frame.read);
    onDeadLetter(frame, "malformed");
  });

  return {
    send(message) {
      if (onTheWay >= WINDOW) return enqueue(message);
      post(message);
      return "sent";
    },
    onMail(next) {
      reader = next;
      const kept = early;
      early = [];
      for (const message of kept) next(message);
    },
    closed: new Promise((resolve) => port.once("close", () => resolve())),
    close: () => port.close(),
  };
}
