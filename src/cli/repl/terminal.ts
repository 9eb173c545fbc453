import type { SupervisorEvent } from "../../events/event.ts";
import type { ReadSettings } from "../../settings/read-settings.ts";
import type { Paint } from "../../terminal/colour.ts";
import type { Choices } from "../../terminal/dialogs/choice-form.ts";
import type { VimKeys } from "../../terminal/input/vim/vim-keys.ts";
import type { AgentActions } from "./agent-actions.ts";

/** What a user does at the terminal. */
export interface TerminalListeners {
  /** A whole prompt or slash command; it may have several lines and is never blank. */
  onLine(text: string): void;
  /** Ctrl-C, unless it only clears the input line. */
  onInterrupt(): void;
  /** The Escape key, if the terminal delivers keys. Returns whether it stopped something. */
  onEscape(): boolean;
  /** Shift-Tab: the next permission mode. */
  onNextMode(): void;
  readonly agents: AgentActions;
  /** `left`: Ctrl-D. `gone`: the terminal closed. */
  onEnd(how: "left" | "gone"): void;
}

/** While one is open nothing else is shown, so that a question stays together. */
export interface Dialog {
  /** Prints permanent lines, which must be safe for a terminal. */
  print(text: string): void;
  /**
   * Reads one line typed after this call: earlier input is not an answer. Returns null on abort, or if the user leaves
   * or the terminal closes. `choices` are shown with it; one that is chosen is the line.
   */
  question(prompt: string, signal: AbortSignal, choices?: Choices): Promise<string | null>;
}

/** Settings that are about the terminal itself: how a user who is away is called, and which keys edit the prompt. */
export type TerminalSettings = Pick<ReadSettings["settings"], "notification" | "editorMode">;

/** Where the conversation takes place. No method throws: a closed terminal shows nothing. */
export interface Terminal {
  readonly paint: Paint;
  /** Returns the columns available for text. */
  columns(): number;
  /** Returns a whole reply of a model as rows, which are safe for a terminal. */
  replyRows(text: string): string[];
  /** Resolves when this text can be shown with its colours. Never rejects. */
  ready(text: string): Promise<void>;
  /** The directory that relative links of replies are of, if not the program's own, and the settings as they are now. */
  workIn(cwd: string, settings?: TerminalSettings): void;
  /** The mode of vim's keys in the prompt; null if it has none. */
  vimMode(): VimKeys["mode"];
  /** Prints permanent lines, which must be safe for a terminal. */
  print(text: string): void;
  /** Prints an empty line, unless the last one is empty. */
  gap(): void;
  /** Shows the agents, the waits and the reply as they arrive. */
  onEvent(event: SupervisorEvent): void;
  /** Shows these rows below the prompt, from now on; asked for whenever it is painted. */
  showBelow(rows: (columns: number) => readonly string[]): void;
  /** Prints a line that the user has typed, as its turn comes. */
  echo(text: string): void;
  /** Shows these lines of the user, which nothing has read yet. */
  showQueued(lines: readonly string[]): void;
  /** Puts lines back into the prompt, before what is typed there. */
  giveBack(lines: readonly string[]): void;
  /** The main conversation starts working. */
  working(): void;
  /** It has stopped; agents may continue in the background. */
  rest(): void;
  /** The next line is a prompt. */
  idle(): void;
  /** `mayWrite`: the main conversation may be writing a reply, which continues afterwards. */
  dialog<T>(hold: (dialog: Dialog) => Promise<T>, mayWrite?: boolean): Promise<T>;
  /** Restores the terminal; idempotent. */
  close(): void;
}
