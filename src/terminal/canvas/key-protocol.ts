import type { Outlet } from "../output-stream.ts";

/**
 * How a terminal tells keys apart that were one byte once, such as Shift-Enter and Enter: by kitty's protocol, else by
 * xterm's modifyOtherKeys, else not at all. It is asked once, and nothing is switched on before it has answered.
 */
export interface KeyProtocol {
  /** Asks, or switches on what it answered earlier. */
  take(): void;
  /** Returns what switches it off. */
  release(): string;
  /** True if this input is an answer and not a key. */
  takeAnswer(text: string): boolean;
}

/** The second is answered by every terminal: if the first was not, it does not know it. */
const QUESTION = "\u001b[?u\u001b[c";
const KNOWS_KITTY = /^\p{Cc}\[\?\d+u$/u;
const ATTRIBUTES = /^\p{Cc}\[\?[\d;]*c$/u;

/** Kitty: escape codes that are not ambiguous (1), and the key of the Latin layout (4); neither releases nor repeats. */
const WAYS = {
  kitty: { on: "\u001b[>5u", off: "\u001b[<u" },
  other: { on: "\u001b[>4;2m", off: "\u001b[>4;0m" },
} as const;

export function createKeyProtocol(stdout: Pick<Outlet, "write">): KeyProtocol {
  let way: keyof typeof WAYS | "unknown" | "asked" = "unknown";
  let isTaken = false;
  const write = (text: string): void => void stdout.write(text).catch(() => {});
  const isKnown = (): boolean => way !== "unknown" && way !== "asked";
  const answered = (now: keyof typeof WAYS): void => {
    if (isKnown()) return;
    way = now;
    if (isTaken) write(WAYS[way].on);
  };
  return {
    take() {
      isTaken = true;
      if (way === "kitty" || way === "other") return write(WAYS[way].on);
      if (way === "unknown") write(QUESTION);
      way = "asked";
    },
    release() {
      isTaken = false;
      return way === "kitty" || way === "other" ? WAYS[way].off : "";
    },
    takeAnswer(text) {
      if (KNOWS_KITTY.test(text)) answered("kitty");
      else if (ATTRIBUTES.test(text)) answered("other");
      else return false;
      return true;
    },
  };
}
