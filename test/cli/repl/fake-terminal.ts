import type { AgentActions } from "../../../src/cli/repl/agent-actions.ts";
import type { Dialog, Terminal, TerminalListeners } from "../../../src/cli/repl/terminal.ts";
import type { SupervisorEvent } from "../../../src/events/event.ts";
import { plain } from "../../../src/terminal/colour.ts";
import { safeText } from "../../../src/terminal/safe-text.ts";

export const noAgents: AgentActions = {
  ...{ views: () => [], todos: () => [], toBackground: () => 0, watch() {}, message() {}, stop() {} },
};

/** A terminal that remembers what it was told, and answers questions with these lines. */
export class FakeTerminal implements Terminal {
  readonly paint = plain;
  readonly listeners: TerminalListeners;
  readonly lines: string[] = [];
  readonly events: SupervisorEvent[] = [];
  readonly answers: string[] = [];
  isWorking = false;
  closed = false;

  constructor(listeners: TerminalListeners) {
    this.listeners = listeners;
  }

  get text(): string {
    return this.lines.join("\n");
  }

  columns = (): number => 200;
  replyRows = (text: string): string[] => safeText(text).split("\n");
  ready = async (): Promise<void> => {};
  workIn(): void {}
  vimMode = () => null;
  showBelow(): void {}
  /** What the user typed, as it was shown when its turn came, and what waits now. */
  readonly echoed: string[] = [];
  queued: readonly string[] = [];
  echo = (text: string): void => void this.echoed.push(text);
  showQueued = (lines: readonly string[]): void => {
    this.queued = lines;
  };
  readonly givenBack: string[] = [];
  giveBack = (lines: readonly string[]): void => void this.givenBack.push(...lines);
  print = (text: string): void => void this.lines.push(text);
  gap = (): void => {};
  onEvent = (event: SupervisorEvent): void => void this.events.push(event);
  working = (): void => {
    this.isWorking = true;
  };
  rest = (): void => {
    this.isWorking = false;
  };
  /** As a person sees that they can type. */
  idle = (): void => void this.lines.push("> ");
  dialog = <T>(hold: (dialog: Dialog) => Promise<T>): Promise<T> =>
    hold({ print: this.print, question: async () => this.answers.shift() ?? null });
  close = (): void => {
    this.closed = true;
  };
}
