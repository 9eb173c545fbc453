import type { Readable } from "node:stream";
import type { Outlet } from "../output-stream.ts";

/** A terminal whose keys are read. */
export interface KeyedTerminal {
  readonly stdin: Readable & { setRawMode?(raw: boolean): unknown };
  readonly stdout: Outlet;
  /** Calls back when the process ends, on whatever path. Returns what withdraws it. */
  onExit(listener: () => void): () => void;
}

/** Pasted text comes between markers. */
const PASTE = { on: "\u001b[?2004h", off: "\u001b[?2004l" } as const;

/**
 * Delivers each key as it is typed, including Ctrl-C, and pasted text between markers. Returns a function that undoes
 * this; an exit of the process undoes it too. Only SIGKILL leaves the modes on.
 */
export function takeKeys(
  { stdin, stdout, onExit }: KeyedTerminal,
  protocol?: ReturnType<typeof createKeyProtocol>,
): () => void {
  let taken = true;
  const restore = (): void => {
    if (!taken) return;
    taken = false;
    withdraw();
    stdout.write(PASTE.off + (protocol?.release() ?? "")).catch(() => {});
    try {
      stdin.setRawMode?.(false);
    } catch {
      // A closed terminal has no modes.
    }
  };
  const withdraw = onExit(restore);
  stdin.setRawMode?.(true);
  stdout.write(PASTE.on).catch(() => {});
  protocol?.take();
  return restore;
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

/**
 * How a terminal tells keys apart that were one byte once, such as Shift-Enter and Enter: by kitty's protocol, else by
 * xterm's modifyOtherKeys, else not at all. It is asked once, and nothing is switched on before it has answered.
 */
export function createKeyProtocol(stdout: Pick<Outlet, "write">) {
  let way: (typeof WAYS)[keyof typeof WAYS] | null = null;
  let isAsked = false;
  let isTaken = false;
  const write = (text: string): void => void stdout.write(text).catch(() => {});
  const answered = (now: keyof typeof WAYS): void => {
    if (way !== null) return;
    way = WAYS[now];
    if (isTaken) write(way.on);
  };
  return {
    /** Asks, or switches on what it answered earlier. */
    take() {
      isTaken = true;
      if (way !== null) write(way.on);
      else if (!isAsked) write(QUESTION);
      isAsked = true;
    },
    /** Returns what switches it off. */
    release(): string {
      isTaken = false;
      return way?.off ?? "";
    },
    /** True if this input is an answer and not a key. */
    takeAnswer(text: string): boolean {
      if (KNOWS_KITTY.test(text)) answered("kitty");
      else if (ATTRIBUTES.test(text)) answered("other");
      else return false;
      return true;
    },
  };
}
