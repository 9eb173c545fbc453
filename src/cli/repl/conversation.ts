import { pause } from "../../mailbox/clock.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { Person } from "../../policy/asks.ts";
import type { AgentResult } from "../../supervisor/options.ts";
import type { SupervisorEvent } from "../../supervisor/view.ts";
import { exitCodes } from "../exit-codes.ts";
import type { CliIO } from "../io.ts";
import { messageOf } from "../message-of.ts";
import { safeLine, safeText } from "../safe-text.ts";
import { terminalPerson } from "./asks/person.ts";
import { createPresses } from "./presses.ts";
import type { ReplSession } from "./repl-session.ts";
import { isSlashCommand, runSlashCommand, type SlashContext } from "./slash-commands.ts";
import type { Terminal, TerminalListeners } from "./terminal.ts";
import { beginAccount, type TurnAccount } from "./turn-account.ts";
import { wrapText } from "./wrap.ts";

/** What lines are answered with, once there is a session. */
export interface Beginning {
  readonly session: ReplSession;
  readonly whyNot: SlashContext["whyNot"];
  /** Keeps a line for the next conversations. */
  remember(line: string): void;
}

/** Milliseconds in which the words before a question are on the screen: longer than pieces of text are apart. */
const LAST_WORDS_MS = 60;

/** One person at one terminal, with one session: what is typed, what it starts, and what stops it. */
export class Conversation {
  readonly terminal: Terminal;
  /** The exit code, once the person has left or was made to. */
  readonly left: Promise<number>;
  readonly #io: CliIO;
  readonly #press;
  readonly #leaving = Promise.withResolvers<number>();
  /** Prompts that came before their turn. */
  readonly #waiting: string[] = [];
  #begun: Beginning | null = null;
  /** Stops the turn that runs. */
  #stop: AbortController | null = null;
  /** What was streamed of the reply. */
  #said = "";
  #isLeaving = false;

  constructor(io: CliIO, open: (listeners: TerminalListeners) => Terminal) {
    this.#io = io;
    this.#press = createPresses(io.clock);
    this.left = this.#leaving.promise;
    this.terminal = open({
      onLine: (text) => this.#onLine(text),
      onInterrupt: () => this.interrupt(),
      onEnd: (how) => this.leave(how === "left" ? exitCodes.done : exitCodes.hungUp),
    });
  }

  /** Asks by the terminal, as long as the turn that asks is not stopped. */
  get person(): Person {
    const person = terminalPerson(this.terminal);
    return {
      ask: async (ask, given) => {
        const signal = this.#stop ? AbortSignal.any([given, this.#stop.signal]) : given;
        // What was said before it comes by another way, which may be longer.
        await pause(this.#io.clock, LAST_WORDS_MS, signal);
        return person.ask(ask, signal);
      },
    };
  }

  /** Lines are prompts from now on; what came before then is kept. */
  begin(beginning: Beginning): void {
    this.#begun = beginning;
    this.terminal.idle();
    this.#next();
  }

  onEvent(event: SupervisorEvent): void {
    if (event.type === "text" && event.actor === MAIN) this.#said += event.text;
    this.terminal.onEvent(event);
  }

  /** Ctrl-C, as a key or as a signal: the turn, then all of it. */
  interrupt(): void {
    if (this.#press() === "twice") this.leave(exitCodes.interrupted);
    else if (this.#stop) {
      this.#note("Stopping; Ctrl-C again leaves.");
      this.#stop.abort();
    } else this.#note("Ctrl-C again leaves.");
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** Agents end, and `left` resolves; the first code counts. A second call does not wait for anything. */
  leave(code: number): void {
    if (this.#isLeaving) {
      this.terminal.close();
      this.#io.leave(code);
      return;
    }
    this.#isLeaving = true;
    this.#stop?.abort();
    this.#leaving.resolve(code);
  }

  #onLine(text: string): void {
    const begun = this.#begun;
    if (this.#isLeaving) return;
    if (!begun) return void this.#waiting.push(text);
    begun.remember(text);
    if (isSlashCommand(text)) void this.#slash(text, begun);
    else if (!this.#stop) void this.#turn(text, begun);
    // Told while it works, it is heard at the next turn; an ending conversation hears it as its next prompt.
    else if (begun.session.send(MAIN, text) !== "queued") this.#waiting.push(text);
  }

  #next(): void {
    const text = this.#begun && !this.#isLeaving ? this.#waiting.shift() : undefined;
    if (text !== undefined) this.#onLine(text);
  }

  async #slash(line: string, { session, whyNot }: Beginning): Promise<void> {
    const { paint, columns, print, gap } = this.terminal;
    const words = await runSlashCommand(line, {
      session,
      whyNot,
      paint,
      now: this.#io.clock.now,
      leave: () => this.leave(exitCodes.done),
    });
    if (words === null) return;
    print(wrapText(words, columns()).join("\n"));
    gap();
    if (!this.#stop) this.terminal.idle();
  }

  async #turn(text: string, { session }: Beginning): Promise<void> {
    const { terminal } = this;
    const { clock } = this.#io;
    const account = beginAccount(session);
    const startedAt = clock.now();
    const stop = new AbortController();
    this.#stop = stop;
    this.#said = "";
    terminal.working();
    try {
      const result = await session.prompt(text, stop.signal);
      terminal.rest();
      this.#tell(result, account, clock.now() - startedAt);
    } catch (error) {
      terminal.rest();
      terminal.print(terminal.paint("red", safeLine(messageOf(error))));
    }
    this.#stop = null;
    if (this.#isLeaving) return;
    terminal.idle();
    this.#next();
  }

  #tell(result: AgentResult, account: TurnAccount, ms: number): void {
    const { print, gap, paint, columns } = this.terminal;
    const show = (words: string) => print(wrapText(words, columns()).join("\n"));
    gap();
    // What was not streamed is the runtime's own, such as what an agent that failed had said last.
    const text = safeText(result.summary.text).trim();
    if (text !== "" && !safeText(this.#said).includes(text)) {
      show(text);
      gap();
    }
    for (const line of account.lines(result, ms, paint)) show(line);
  }

  /** A line besides the conversation, such as what the session warns of. */
  tell(words: string): void {
    this.#note(safeLine(words));
  }

  #note(words: string): void {
    const { columns, paint, print } = this.terminal;
    print(paint("dim", wrapText(words, columns()).join("\n")));
  }
}
