import type { Clock } from "../../mailbox/clock.ts";
import { createFrames, TEXT_MS } from "../../terminal/canvas/frames.ts";
import { takeKeys } from "../../terminal/canvas/modes.ts";
import { paintFor } from "../../terminal/colour.ts";
import { wrapText } from "../../terminal/wrap.ts";
import type { CliIO } from "../io.ts";
import { createKeyParser } from "./key-parser.ts";
import { createLineEditor, type LineEditor } from "./line-editor.ts";
import { createQuietKeys } from "./quiet-keys.ts";
import { createScreen } from "./screen.ts";
import type { Dialog, Terminal, TerminalListeners } from "./terminal.ts";

export interface PaintedOptions extends TerminalListeners {
  /** Newest first. */
  readonly history: readonly string[];
  /** What Tab completes. */
  readonly completions: () => readonly string[];
}

const PROMPT = "› ";
/** Draws the terminal again. */
const CTRL_L = "\f";

/**
 * Creates a conversation on a painted terminal: finished lines scroll up, work in progress is below them, and the input
 * line is always last.
 */
export function createPaintedTerminal(io: CliIO, options: PaintedOptions): Terminal {
  const { clock, stdin, stdout } = io;
  const paint = paintFor(stdout, io.env);
  const screen = createScreen(io, paint);
  const quiet = createQuietKeys(clock);
  const read = createKeyParser();
  const over = new AbortController();
  let answer: { readonly prompt: string; readonly editor: LineEditor } | null = null;
  /** A question is drawn but not open yet: Enter would send half a thought. */
  let settling = false;

  const prompt = createLineEditor({
    history: options.history,
    completions: options.completions,
    onLine(text) {
      if (text.trim() === "") return;
      screen.gap();
      screen.print(
        echoOf(text, screen.columns())
          .map((row) => paint("bold", row))
          .join("\n"),
      );
      screen.gap();
      options.onLine(text);
    },
    onInterrupt() {
      if (prompt.text !== "" && !screen.isWorking()) prompt.clear();
      else options.onInterrupt();
    },
    onEnd: () => options.onEnd("left"),
  });
  const editing = () => answer ?? { prompt: PROMPT, editor: prompt };
  const frames = createFrames(clock, TEXT_MS, () => screen.paint(editing()));
  const escapeKey = createEscapeKey(clock, options.onEscape);

  const onData = (chunk: Buffer | string): void => {
    quiet.typed();
    const bytes = escapeKey.take(chunk);
    if (bytes === null) return;
    for (const { type, text } of read(bytes)) {
      if (type === "keys" && text.includes(CTRL_L)) screen.redraw();
      const kept = type === "keys" ? text.replace(settling ? /[\f\r\n]/g : /\f/g, "") : text;
      editing().editor.type({ type, text: kept });
    }
    frames.now();
    // Tab's completion appears a moment later.
    frames.soon();
  };
  const onGone = () => options.onEnd("gone");

  const ask: Dialog["question"] = async (words, given) => {
    const signal = AbortSignal.any([given, over.signal]);
    settling = true;
    frames.now();
    await quiet.quiet(signal);
    settling = false;
    if (signal.aborted) return null;
    const line = await new Promise<string | null>((resolve) => {
      const editor = createLineEditor({
        onLine: resolve,
        onInterrupt: options.onInterrupt,
        onEnd() {
          resolve(null);
          options.onEnd("left");
        },
      });
      answer = { prompt: words, editor };
      signal.addEventListener("abort", () => resolve(null), { once: true });
      frames.now();
    });
    answer?.editor.close();
    answer = null;
    screen.through(paint("bold", `${words}${line ?? ""}`));
    frames.now();
    return line;
  };

  /** Runs an action, then paints. */
  const shown =
    <A extends readonly unknown[]>(change: (...given: A) => void) =>
    (...given: A): void => {
      change(...given);
      frames.soon();
    };
  const restore = takeKeys(io);
  stdin.on("data", onData).once("end", onGone).once("close", onGone).on("error", onGone);
  const forgetResize = stdout.onResize(frames.resized);
  frames.now();

  return {
    paint,
    columns: screen.columns,
    replyRows: screen.replyRows,
    ready: screen.ready,
    workIn: screen.workIn,
    print: shown(screen.print),
    gap: shown(screen.gap),
    onEvent: shown(screen.onEvent),
    working: shown(() => screen.working(true)),
    rest: shown(() => screen.working(false)),
    idle: shown(screen.gap),
    async dialog(hold) {
      screen.gap();
      screen.hold(true);
      try {
        return await hold({ print: shown(screen.through), question: ask });
      } finally {
        screen.hold(false);
        frames.soon();
      }
    },
    close() {
      if (over.signal.aborted) return;
      over.abort();
      frames.stop();
      escapeKey.close();
      forgetResize();
      // Keep the listener for errors: a terminal that closes now must not end the process.
      stdin.off("data", onData).off("end", onGone).off("close", onGone);
      prompt.close();
      screen.paint(null);
      restore();
      stdin.destroy();
    },
  };
}

function echoOf(text: string, columns: number): string[] {
  return wrapText(text, columns - PROMPT.length).map((row, index) => (index === 0 ? PROMPT : "  ") + row);
}

/** Milliseconds after which an Escape is the key and not the start of a sequence. */
const ALONE_MS = 50;
const ESC = 0x1b;

/** Distinguishes the Escape key from sequences that start with it, even if a slow line cuts them. */
interface EscapeKey {
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
