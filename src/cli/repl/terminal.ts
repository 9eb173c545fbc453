import type { SupervisorEvent } from "../../supervisor/view.ts";
import type { Paint } from "../colour.ts";

/** What a person does at the terminal. */
export interface TerminalListeners {
  /** A prompt or a slash command, whole; it may have several lines and is never blank. */
  onLine(text: string): void;
  /** Ctrl-C, where it does not merely clear what was typed. */
  onInterrupt(): void;
  /** The Escape key, where the terminal gives us keys. */
  onEscape(): void;
  /** `left`: Ctrl-D. `gone`: the terminal is no longer there. */
  onEnd(how: "left" | "gone"): void;
}

/** While one is open nothing else is shown, so that a question stays together. */
export interface Dialog {
  /** Lines that stay; safe for a terminal already. */
  print(text: string): void;
  /**
   * One line, typed after this was called: what was typed before is no answer. Null once the signal is
   * aborted, or when the terminal is left or gone.
   */
  question(prompt: string, signal: AbortSignal): Promise<string | null>;
}

/** Where the conversation is held. None of it throws: a terminal that is gone shows nothing. */
export interface Terminal {
  readonly paint: Paint;
  /** Columns there are for text. */
  columns(): number;
  /** Lines that stay; safe for a terminal already. */
  print(text: string): void;
  /** An empty line, unless the last one is empty already. */
  gap(): void;
  /** Shows the agents, the waits and the reply as they come. */
  onEvent(event: SupervisorEvent): void;
  /** The main conversation is at work from now on. */
  working(): void;
  /** It is not any more; agents may go on in the background. */
  rest(): void;
  /** The next line is a prompt. */
  idle(): void;
  dialog<T>(hold: (dialog: Dialog) => Promise<T>): Promise<T>;
  /** Leaves the terminal as it was found; idempotent. */
  close(): void;
}
