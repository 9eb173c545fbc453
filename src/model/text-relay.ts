import type { Clock } from "../mailbox/clock.ts";
import type { ModelEvent, OnModelEvent } from "./client.ts";

/** Milliseconds between two pieces of text: often enough to read along, rare enough not to flood a port. */
const APART_MS = 50;

/** Passes events on, text joined to at most one piece per 50 ms (none if it is not shown), in order. */
export interface TextRelay {
  readonly on: OnModelEvent;
  /** Hands over what is still held back. */
  end(): void;
}

export function textRelay(clock: Clock, text: boolean, send: OnModelEvent): TextRelay {
  let held = "";
  let withdraw: (() => void) | undefined;

  const flush = () => {
    if (held === "") return;
    const piece = held;
    held = "";
    send({ type: "text", text: piece });
  };
  const pass = () => {
    withdraw = undefined;
    if (held === "") return;
    flush();
    withdraw = clock.after(APART_MS, pass);
  };

  return {
    on(event: ModelEvent) {
      if (event.type !== "text") {
        flush();
        return send(event);
      }
      if (!text) return;
      held += event.text;
      if (withdraw) return;
      flush();
      withdraw = clock.after(APART_MS, pass);
    },
    end() {
      withdraw?.();
      withdraw = undefined;
      flush();
    },
  };
}
