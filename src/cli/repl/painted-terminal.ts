import type { SupervisorEvent } from "../../events/event.ts";
import { oneAtATime } from "../../lib/queues.ts";
import { createFrames, TEXT_MS } from "../../terminal/canvas/frames.ts";
import { createKeyProtocol, takeKeys } from "../../terminal/canvas/modes.ts";
import { paintFor } from "../../terminal/colour.ts";
import { chosenText, createChoiceForm } from "../../terminal/dialogs/choice-form.ts";
import type { Completer } from "../../terminal/input/completions.ts";
import { createEditor, type Editor } from "../../terminal/input/editor.ts";
import type { Keymap } from "../../terminal/input/keymap.ts";
import { createKeyReader, isKey, type Key, usualKey } from "../../terminal/input/keys.ts";
import { createVimKeys } from "../../terminal/input/vim/vim-keys.ts";
import { createInside } from "../../terminal/live/inside.ts";
import { notificationText } from "../../terminal/notification.ts";
import { createLastOutput } from "../../terminal/transcript/last-output.ts";
import { wrapText } from "../../terminal/wrap.ts";
import type { CliIO } from "../process-io.ts";
import { createDoublePress, createQuietKeys } from "./key-timing.ts";
import { createPromptKeys, type PromptActions } from "./prompt-keys.ts";
import { createScreen, type Editing } from "./screen.ts";
import type { Dialog, Terminal, TerminalListeners, TerminalSettings } from "./terminal.ts";

export interface PaintedOptions extends TerminalListeners, PromptActions {
  /** Newest first. */
  readonly history: readonly string[];
  readonly completer: Completer;
  /** At the prompt; questions keep their keys. */
  readonly keymap: Keymap;
}

const PROMPT = "› ";
/** Milliseconds without a key after which a question rings. */
const AWAY_MS = 10_000;

/**
 * Creates a conversation on a painted terminal: finished lines scroll up, work in progress is below them, and the input
 * line is always last.
 */
export function createPaintedTerminal(io: CliIO, options: PaintedOptions): Terminal {
  const { clock, stdin, stdout } = io;
  const paint = paintFor(stdout, io.env);
  const screen = createScreen(io, paint);
  const output = createLastOutput();
  const inside = createInside(paint, () => clock.now(), screen.columns, screen.replyRows);
  const quiet = createQuietKeys(clock);
  const over = new AbortController();
  let answer: { readonly prompt: string; readonly editor: Editor; leave(): void; escape(): void } | null =
    null;
  let settings: TerminalSettings = {};
  /** Another program has the terminal: nothing is painted. */
  let lent = false;
  /** A question is drawn but not open yet: Enter would send half a thought. */
  let settling = false;
  /** It was pressed nevertheless: a line break, if something follows. */
  let endsLine = false;

  const typed = [...options.history];
  /** Lines whose pasted text was folded, as they were shown. */
  const folded = new Map<string, string>();
  const prompt = createEditor({
    ...{ history: options.history, completer: options.completer, paint },
    onLine(text, shown) {
      if (text.trim() === "") return;
      if (shown !== text) folded.set(text, shown);
      typed.unshift(text);
      vim.restart();
      options.onLine(text);
    },
    onChange: () => frames.now(),
  });
  const vim = createVimKeys(prompt, () => settings.editorMode === "vim");
  const editing = (): Editing => {
    if (answer !== null) return { ...answer, isPlain: false, isQuestion: true };
    const { overlay, isBrowsing, above } = promptKeys;
    return {
      ...{ prompt: PROMPT, editor: overlay ?? prompt, isQuestion: isBrowsing, above },
      isPlain: !overlay && !settling && !prompt.isMenuOpen,
    };
  };
  const frames = createFrames(clock, TEXT_MS, () => (lent ? null : screen.paint(editing())));

  /** Ctrl-C and Ctrl-D are the same everywhere. */
  const interrupt = (): void => {
    if (!answer && prompt.shown !== "" && !screen.isWorking()) prompt.set("");
    else options.onInterrupt();
    // The question is not part of a turn: nothing else withdraws it.
    if (!screen.isWorking()) answer?.escape();
  };
  let pressedEscape = createDoublePress(clock);
  const pressEscape = (key: Key): void => {
    const { editor } = answer ?? { editor: prompt };
    if (editor.isMenuOpen) editor.type(key);
    else if (!answer && vim.escape()) return;
    else if (options.onEscape()) return;
    else if (answer) answer.escape();
    else if (editor.shown === "" && pressedEscape() === "twice") {
      pressedEscape = createDoublePress(clock);
      options.onLine("/rewind");
    }
  };
  /** Gives the terminal away, and takes it back afterwards. */
  const lend = async (to: () => Promise<void>): Promise<void> => {
    if (lent || over.signal.aborted) return;
    lent = true;
    screen.paint(null);
    restore();
    stdin.pause();
    try {
      await to();
    } finally {
      lent = false;
      if (!over.signal.aborted) {
        stdin.resume();
        restore = takeKeys(io, protocol);
        frames.now();
      }
    }
  };
  const promptKeys = createPromptKeys({
    ...{ options, prompt, history: typed, screen, paint, output, inside, lend, signal: over.signal },
    ...{ now: () => clock.now(), onChange: () => frames.now() },
  });
  const onKey = (key: Key): void => {
    const { editor } = answer ?? { editor: prompt };
    if (isKey(key, "ctrl+l")) screen.redraw();
    else if (!answer && promptKeys.takeOverlay(key)) return;
    else if (isKey(key, "ctrl+c")) interrupt();
    else if (isKey(key, "escape")) pressEscape(key);
    else if (isKey(key, "ctrl+d") && editor.shown === "") leave();
    else if (answer) editor.type(key);
    else typePrompt(vim.translate(key));
  };
  /** Types a key at the prompt. Null if vim mode has already handled it. */
  const typePrompt = (key: Key | null): void => {
    const isBreak = endsLine;
    endsLine = settling && key !== null && isKey(key, "enter");
    if (key === null || endsLine || promptKeys.take(key)) return;
    if (isBreak && !/^\p{Cc}/u.test(key.text)) prompt.type({ type: "key", text: "\n" });
    prompt.type(key);
  };
  const leave = (): void => {
    answer?.leave();
    options.onEnd("left");
  };
  const protocol = createKeyProtocol(stdout);
  const keys = createKeyReader((key) => {
    const meant = answer ? [key] : options.keymap.translate(promptKeys.withMark(key));
    for (const each of meant) onKey(usualKey(each));
    frames.now();
  }, protocol.takeAnswer);
  let isFirst = true;
  let typedAt = clock.now();
  const onData = (chunk: Buffer | string): void => {
    quiet.typed();
    typedAt = clock.now();
    // What was typed before the keys were taken has line feeds for Enter; the terminal's answer may follow it.
    const withEnter = () =>
      chunk.toString().replace(/^[\P{Cc}\n]+/u, (ahead) => ahead.replaceAll("\n", "\r"));
    keys.take(isFirst ? withEnter() : chunk);
    isFirst = false;
  };
  const onGone = () => options.onEnd("gone");

  const ask: Dialog["question"] = async (words, given, choices = { answers: [] }) => {
    const signal = AbortSignal.any([given, over.signal]);
    settling = true;
    frames.now();
    await quiet.quiet(signal);
    settling = false;
    if (signal.aborted) return null;
    const line = await new Promise<string | null>((resolve) => {
      const edit = (onLine: (line: string) => void) =>
        createEditor({ paint, onLine, onChange: () => frames.now() });
      const editor = createChoiceForm(choices, paint, edit, resolve);
      answer = {
        ...{ prompt: words, editor },
        leave: () => resolve(null),
        escape: () => resolve(choices.escape ?? null),
      };
      signal.addEventListener("abort", () => resolve(null), { once: true });
      frames.now();
    });
    answer?.editor.close();
    answer = null;
    const echo = `${words}${chosenText(line ?? "", choices)}`;
    screen.through(paint("bold", wrapText(echo, screen.columns()).join("\n")));
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
  const inTurn = oneAtATime();
  const showDialog = async <T>(hold: (dialog: Dialog) => Promise<T>, mayWrite: boolean): Promise<T> => {
    // The user may be elsewhere: most terminals show a bell in another window.
    if (clock.now() - typedAt > AWAY_MS)
      stdout
        .write(notificationText(settings.notification ?? "bell", "Troupe waits for your answer", io.env))
        .catch(() => {});
    screen.hold(mayWrite);
    try {
      return await hold({ print: shown(screen.through), question: ask });
    } finally {
      screen.release();
      frames.soon();
    }
  };
  let restore = takeKeys(io, protocol);
  stdin.on("data", onData).once("end", onGone).once("close", onGone).on("error", onGone);
  const forgetResize = stdout.onResize(frames.resized);
  frames.now();

  return {
    paint,
    columns: screen.columns,
    replyRows: screen.replyRows,
    ready: screen.ready,
    workIn(cwd, given = {}) {
      settings = given;
      screen.workIn(cwd);
      frames.soon();
    },
    vimMode: () => vim.mode,
    showBelow: shown(screen.showBelow),
    print: shown(screen.print),
    gap: shown(screen.gap),
    onEvent: shown((event: SupervisorEvent) => {
      output.onEvent(event);
      inside.onEvent(event);
      screen.onEvent(event);
    }),
    echo: shown((text: string) => {
      screen.gap();
      screen.print(
        echoOf(folded.get(text) ?? text, screen.columns())
          .map((row) => paint("bold", row))
          .join("\n"),
      );
      screen.gap();
      folded.delete(text);
    }),
    showQueued: shown((lines: readonly string[]) =>
      screen.showQueued(lines.map((text) => folded.get(text) ?? text)),
    ),
    giveBack: shown((lines: readonly string[]) =>
      prompt.set([...lines, prompt.text].filter(Boolean).join("\n")),
    ),
    working: shown(() => screen.working(true)),
    rest: shown(() => screen.working(false)),
    idle: shown(screen.gap),
    dialog: (hold, mayWrite = false) => inTurn(() => showDialog(hold, mayWrite)),
    close() {
      if (over.signal.aborted) return;
      over.abort();
      frames.stop();
      keys.close();
      forgetResize();
      // Keep the listener for errors: a terminal that closes now must not end the process.
      stdin.off("data", onData).off("end", onGone).off("close", onGone);
      prompt.close();
      // What a question has held back.
      screen.release();
      screen.paint(null);
      restore();
      stdin.destroy();
    },
  };
}

function echoOf(text: string, columns: number): string[] {
  return wrapText(text, columns - PROMPT.length).map((row, index) => (index === 0 ? PROMPT : "  ") + row);
}
