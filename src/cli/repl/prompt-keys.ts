import { errorMessage } from "../../lib/errors.ts";
import type { Paint } from "../../terminal/colour.ts";
import { counted } from "../../terminal/figures.ts";
import type { Editor, Overlay } from "../../terminal/input/editor.ts";
import { createHistorySearch } from "../../terminal/input/history-search.ts";
import { isKey, type Key } from "../../terminal/input/keys.ts";
import type { Inside } from "../../terminal/live/inside.ts";
import { todoRows } from "../../terminal/live/prompt-rows.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import type { LastOutput } from "../../terminal/transcript/last-output.ts";
import { wrapText } from "../../terminal/wrap.ts";
import { openAgentBrowser } from "./agent-browser.ts";
import type { PromptImages } from "./prompt-images.ts";
import type { Screen } from "./screen.ts";
import type { TerminalListeners } from "./terminal.ts";

/** What keys of the prompt do outside of the terminal. */
export interface PromptActions extends Pick<TerminalListeners, "agents" | "onNextMode"> {
  readonly images: PromptImages;
  /** Returns the text as the user's own editor left it; rejects with a sentence. */
  editOutside(text: string, signal: AbortSignal): Promise<string>;
  /** Shows a text in the user's own pager; rejects with a sentence. */
  pageOutside(text: string, signal: AbortSignal): Promise<void>;
  /** Puts the program into the background; resolves when it is back. */
  suspend(): Promise<void>;
}

interface PromptKeysParts {
  readonly options: PromptActions;
  readonly prompt: Editor;
  /** Newest first. */
  readonly history: readonly string[];
  readonly screen: Pick<Screen, "print" | "columns">;
  readonly paint: Paint;
  readonly output: Pick<LastOutput, "text">;
  readonly inside: Pick<Inside, "rows">;
  /** Aborts with the terminal. */
  readonly signal: AbortSignal;
  now(): number;
  /** Something that was waited for has come. */
  onChange(): void;
  /** Gives the terminal away until the promise settles. */
  lend(to: () => Promise<void>): Promise<void>;
}

/** The keys at the prompt, outside of questions, and what they show. */
export function createPromptKeys(parts: PromptKeysParts) {
  const { options, prompt, screen, paint, signal, onChange, lend } = parts;
  let overlay: Overlay | null = null;
  let browser: Overlay | null = null;
  let showsTodos = false;
  /** What Ctrl-S has put away. */
  let stash = "";

  const note = (words: string, colour: "dim" | "yellow" = "dim"): void => {
    for (const row of wrapText(words, screen.columns())) screen.print(paint(colour, row));
  };
  const showProblem = (error: unknown): void => note(safeLine(errorMessage(error)), "yellow");
  const lendTo = (program: () => Promise<void>) => lend(() => program().catch(showProblem));
  const editPrompt = async () => prompt.set(await options.editOutside(prompt.text, signal));
  const showOutput = async (): Promise<void> => {
    const text = parts.output.text();
    if (text === null) note("No call has ended yet, and no thoughts have come.");
    else await options.pageOutside(text, signal);
  };
  const pasteImage = (): Promise<void> =>
    options.images
      .fromClipboard(signal)
      .then((mark) => prompt.type({ type: "paste", text: mark }))
      .catch(showProblem)
      .then(onChange);
  const swapStash = (): void => {
    const { text } = prompt;
    prompt.set(stash);
    stash = text;
  };
  const moveToBackground = (): boolean => {
    const count = options.agents.toBackground();
    const none = "Nothing runs in the foreground that can be moved to the background.";
    const moved = `Moved to the background: ${counted(count, "command or agent", "commands and agents")}.`;
    note(count === 0 ? none : moved);
    return true;
  };
  const openBrowser = (): boolean => {
    browser = openAgentBrowser({ ...parts, agents: options.agents });
    overlay = browser;
    return browser !== null;
  };

  return {
    /** What has the keys in place of the prompt. */
    get overlay() {
      return overlay;
    },
    /** True if the overlay may take all rows. */
    get isBrowsing() {
      return overlay !== null && overlay === browser;
    },
    /** Returns as many rows at most, to be shown right above the prompt. */
    above: (rows: number): readonly string[] =>
      showsTodos && !overlay
        ? todoRows(options.agents.todos(), { columns: screen.columns(), rows, paint })
        : [],
    /** Gives the key to the overlay; returns false without one. */
    takeOverlay(key: Key): boolean {
      if (overlay === null) return false;
      overlay.take(key);
      if (!overlay.isOpen) overlay = null;
      return true;
    },
    /** Does what the key means; returns false if it means nothing here. */
    take(key: Key): boolean {
      const isEmpty = prompt.shown === "";
      if (isKey(key, "ctrl+r")) overlay = createHistorySearch(parts.history, prompt);
      else if (isKey(key, "ctrl+g")) void lendTo(editPrompt);
      else if (isKey(key, "ctrl+o")) void lendTo(showOutput);
      else if (isKey(key, "shift+tab")) options.onNextMode();
      else if (isKey(key, "ctrl+b") && isEmpty) return moveToBackground();
      else if (isKey(key, "ctrl+t")) showsTodos = !showsTodos;
      else if (isKey(key, "down") && isEmpty) return openBrowser();
      else if (isKey(key, "ctrl+s")) swapStash();
      else if (isKey(key, "ctrl+v")) void pasteImage();
      else if (isKey(key, "ctrl+z")) void lend(options.suspend);
      else return false;
      return true;
    },
    /** Replaces a dropped image by its mark. */
    withMark(key: Key): Key {
      const mark = key.type === "paste" ? options.images.dropped(key.text) : null;
      return mark === null ? key : { type: "paste", text: mark };
    },
  };
}
