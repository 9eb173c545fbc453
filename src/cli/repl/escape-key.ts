import type { Clock } from "../../mailbox/clock.ts";

/** Milliseconds after which an Escape is the key and not the start of a sequence. */
const ALONE_MS = 50;
const ESC = 0x1b;

/** Distinguishes the Escape key from sequences that start with it, even if a slow line cuts them. */
export interface EscapeKey {
  /** Returns the input to read now; null if it was the key, or may be. */
  take(chunk: Buffer | string): Buffer | null;
  close(): void;
}

export function createEscapeKey(clock: Clock, onEscape: () => void): EscapeKey {
  let held = Buffer.alloc(0);
  let withdraw = (): void => {};
  const isKey = (): void => {
    withdraw();
    held = Buffer.alloc(0);
    onEscape();
  };
  return {
    take(chunk) {
      withdraw();
      const all = Buffer.concat([held, Buffer.from(chunk)]);
      if (all.some((byte) => byte !== ESC)) {
        held = Buffer.alloc(0);
        return all;
      }
      held = all;
      if (held.length > 1) isKey();
      else withdraw = clock.after(ALONE_MS, isKey);
      return null;
    },
    close: () => withdraw(),
  };
}
