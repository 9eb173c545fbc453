import type { AgentView, SupervisorEvent } from "../../events/event.ts";
import { errorMessage } from "../../lib/errors.ts";
import { pause } from "../../mailbox/clock.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { UserHandler } from "../../policy/asks.ts";
import type { AgentResult } from "../../session/options.ts";
import type { Completer } from "../../terminal/input/completions.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { wrapText } from "../../terminal/wrap.ts";
import { exitCodes } from "../exit-codes.ts";
import type { CliIO } from "../io.ts";
import { agentActions } from "./agent-actions.ts";
import { terminalPerson } from "./asks/person.ts";
import { confirmMode, nextMode } from "./confirm-mode.ts";
import { createDoublePress } from "./double-press.ts";
import { argumentsOf, menuOf } from "./menu.ts";
import type { PromptImages } from "./prompt-images.ts";
import type { ReplSession } from "./repl-session.ts";
import { callsSkill, isSlashCommand, runSlashCommand, type SlashContext } from "./slash-commands.ts";
import type { Terminal, TerminalListeners } from "./terminal.ts";
import { beginAccount } from "./turn-account.ts";
import { goingOnWords, showAgentResult, showResult } from "./turn-report.ts";
import { UnreadInput } from "./unread-input.ts";
import { runWords, type UserPrograms } from "./user-programs.ts";

/** What handles lines, once there is a session. */
export interface ConversationStart {
  readonly session: ReplSession;
  readonly whyNot: SlashContext["whyNot"];
  readonly own: SlashContext["own"];
  /** Sent before the user has typed anything. */
  readonly prompt?: string | undefined;
  /** Resumes immediately what was cut off. */
  readonly goesOn: boolean;
  /** Saves a line for later conversations. */
  remember(line: string): void;
  /** Called after each turn. */
  turnEnded?(): void;
  /** Prepares a session; the function that it resolves to replaces this one with it. Rejects if there can be none. */
  clear(): Promise<() => void>;
  /** The same for a copy of this session that ends before this record. */
  rewindTo(seq: number): Promise<() => void>;
}

/** Milliseconds for the text before a question to appear: longer than the gap between pieces of text. */
const LAST_WORDS_MS = 60;
/** A resumed session continues what it was doing. */
const LEFT = "The session was left.";
const INTERRUPTED = "The user interrupted it.";

/** One user at one terminal with one session: what is typed, what that starts, and what stops it. */
export class Conversation {
  readonly terminal: Terminal;
  /** Resolves to the exit code once the user has left or was made to. */
  readonly left: Promise<number>;
  readonly #io: CliIO;
  readonly #press;
  readonly #programs: UserPrograms;
  readonly #unread: UnreadInput;
  readonly #leaving = Promise.withResolvers<number>();
  #begun: ConversationStart | null = null;
  readonly #images: PromptImages;
  /** Stops the turn that the user started. */
  #stop: AbortController | null = null;
  /** Shows the result of a turn that the conversation started by itself. */
  #woken: ((result: AgentResult) => void) | null = null;
  /** A turn that started by itself and was then steered reports twice, and is shown once. */
  #shown: AgentResult["summary"] | null = null;
  /** Each stops a slow command of the user. */
  readonly #commands = new Set<AbortController>();
  /** True if the user has stopped the running turn. */
  #stopped = false;
  /** The part of the reply streamed so far. */
  #said = "";
  #isLeaving = false;
  #isClearing = false;

  constructor(
    io: CliIO,
    { programs, images }: { readonly programs: UserPrograms; readonly images: PromptImages },
    open: (listeners: TerminalListeners, completer: Completer) => Terminal,
  ) {
    this.#io = io;
    this.#programs = programs;
    this.#images = images;
    this.#unread = new UnreadInput(images);
    this.#press = createDoublePress(io.clock);
    this.left = this.#leaving.promise;
    this.terminal = open(
      {
        onLine: (text) => this.#onLine(text),
        onInterrupt: () => this.interrupt(),
        onEscape: () => this.#escape(),
        onNextMode: () => this.#nextMode(),
        agents: agentActions(
          () => this.#begun?.session,
          (agent, text, session) => void this.#goOnWith(agent, text, session),
        ),
        onEnd: (how) => this.leave(how === "left" ? exitCodes.done : exitCodes.hungUp),
      },
      {
        commands: () => menuOf(this.#begun?.session),
        arguments: (command) => argumentsOf(command, this.#begun?.session),
        files: (signal) => programs.files(signal),
      },
    );
  }

  /** The directory that the conversation is about. */
  get cwd(): string {
    return this.#begun?.own.cwd ?? this.#io.cwd;
  }

  /** Asks at the terminal. The session withdraws a question of a stopped turn. */
  get person(): UserHandler {
    const person = terminalPerson(this.terminal, () => this.#begun?.own);
    return {
      ask: async (ask, signal) => {
        // The text before it takes another way, which may be slower.
        await pause(this.#io.clock, LAST_WORDS_MS, signal);
        return person.ask(ask, signal);
      },
    };
  }

  /** Treats lines as prompts from now on; keeps earlier ones. */
  begin(beginning: ConversationStart): void {
    const { session, prompt, goesOn } = beginning;
    this.#begun = beginning;
    // Starts to look for the servers' prompts.
    session.mcp.prompts();
    if (prompt !== undefined) this.#unread.waitFirst(prompt);
    this.terminal.idle();
    if (goesOn) {
      void this.#turn(null, (signal) => session.resumeUnfinished(signal), beginning);
      for (const text of this.#unread.takeWaiting()) this.#onLine(text);
    } else this.#next();
  }

  onEvent(event: SupervisorEvent): void {
    if (event.type === "text" && event.actor === MAIN) this.#said += event.text;
    if (event.type === "woken") this.#wake(event.because);
    this.terminal.onEvent(event);
    if (event.type === "answered" && this.#begun) this.#answered(event.result);
  }

  /** Handles Ctrl-C, as a key or a signal: first stops the turn, then leaves. */
  interrupt(): void {
    if (this.#press() === "twice") this.leave(exitCodes.interrupted);
    else if (!this.#stopTurn()) this.#note("Ctrl-C again leaves.");
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** Ends the agents and resolves `left`; the first code counts. A second call does not wait for anything. */
  leave(code: number): void {
    if (this.#isLeaving) {
      this.terminal.close();
      this.#io.leave(code);
      return;
    }
    this.#isLeaving = true;
    // Withdraws what was asked before there was a session.
    if (this.#begun) this.#begun.session.detach(LEFT);
    else this.terminal.close();
    // Afterwards: stopping one must not end what will be resumed.
    for (const command of this.#commands) command.abort(new Error(LEFT));
    this.#leaving.resolve(code);
  }

  /** Ends the session as `leave` does. What is typed from now on is for the next one. */
  async #replace(prepare: () => Promise<() => void>, { session }: ConversationStart): Promise<void> {
    if (this.#isClearing) return;
    this.#isClearing = true;
    try {
      const replace = await prepare();
      if (this.#isLeaving) return;
      this.#begun = null;
      this.#stop = null;
      this.#woken = null;
      session.detach(LEFT);
      for (const command of this.#commands) command.abort(new Error(LEFT));
      this.terminal.rest();
      replace();
    } finally {
      this.#isClearing = false;
      this.#next();
    }
  }

  /** Stops the turn. Lines that nothing has read yet go back to the user: they were about what is stopped. */
  #escape(): boolean {
    if (this.#isLeaving) return false;
    const lines = this.#isClearing ? [] : this.#unread.unsend(this.#begun?.session);
    const stopped = this.#stopTurn();
    if (lines.length > 0) this.terminal.giveBack(lines);
    return stopped;
  }

  /** Ends what the main conversation does and waits for; the background continues. */
  #stopTurn(): boolean {
    if (this.#isLeaving || (!this.#stop && !this.#woken && this.#commands.size === 0)) return false;
    this.#note("Stopping; Ctrl-C again leaves.");
    for (const command of this.#commands) command.abort(new Error(INTERRUPTED));
    if (!this.#stop && !this.#woken) return true;
    this.#stopped = true;
    this.#stop?.abort(new Error(INTERRUPTED));
    if (this.#woken) this.#begun?.session.cancel(MAIN, INTERRUPTED, "foreground");
    return true;
  }

  #nextMode(): void {
    if (!this.#begun) return;
    const { session, whyNot } = this.#begun;
    const next = nextMode(session.mode(), whyNot);
    if (next === undefined) return;
    session.setMode(next);
    this.#note(`The mode is ${next} from now on.`);
  }

  #onLine(text: string): void {
    const begun = this.#begun;
    if (this.#isLeaving) return;
    if (!begun || this.#isClearing) return void this.#unread.wait(text);
    begun.remember(text);
    const { session } = begun;
    const hasServers = session.mcpServers().length > 0;
    const skill = isSlashCommand(text) && callsSkill(text, session.skills(), hasServers);
    const [, command] = /^!\s*([\s\S]*\S)/.exec(text) ?? [];
    if (command !== undefined) void this.#run(command);
    else if (isSlashCommand(text) && !skill) void this.#slash(text, begun);
    else if (!this.#stop && !this.#woken) this.#prompt(text, begun);
    // A skill runs as a prompt of its own.
    else if (skill) this.#unread.wait(text);
    else this.#unread.tellMain(text, session);
  }

  #prompt(text: string, begun: ConversationStart): void {
    const told = this.#unread.withRun(text);
    void this.#turn(told, (signal) => begun.session.prompt(told, signal, this.#images.of(told)), begun);
  }

  /** Runs a command of the user. The model learns of it with the next prompt. */
  async #run(command: string): Promise<void> {
    const { paint, columns, print, gap } = this.terminal;
    const stop = new AbortController();
    this.#commands.add(stop);
    const run = await this.#programs.run(command, stop.signal);
    this.#commands.delete(stop);
    if (this.#isLeaving) return;
    const { shown, told } = runWords(command, run);
    this.#unread.ran(told);
    print(paint("dim", wrapText(shown, columns()).join("\n")));
    gap();
    this.#idle();
  }

  #next(): void {
    const isOpen = this.#begun && !this.#isLeaving && !this.#isClearing;
    const text = isOpen ? this.#unread.next() : undefined;
    if (text !== undefined) this.#onLine(text);
  }

  async #slash(line: string, begun: ConversationStart): Promise<void> {
    const { session, whyNot, own } = begun;
    const { paint, columns, print, gap } = this.terminal;
    const stop = new AbortController();
    const words = await runSlashCommand(line, {
      session,
      whyNot,
      own,
      confirmMode: (mode) => confirmMode(this.terminal, mode),
      paint,
      now: () => this.#io.clock.now(),
      goOnWith: (agent, text) => void this.#goOnWith(agent, text, session),
      terminal: this.terminal,
      clear: () => this.#replace(begun.clear, begun),
      rewindTo: (seq) => this.#replace(() => begun.rewindTo(seq), begun),
      leave: () => this.leave(exitCodes.done),
      say: (row) => print(row),
      stoppable: () => {
        this.#commands.add(stop);
        return stop.signal;
      },
    });
    this.#commands.delete(stop);
    if (words === null) return;
    print(wrapText(words, columns()).join("\n"));
    gap();
    this.#idle();
  }

  /** Runs a turn that the user started; `text` is null if it only continues. */
  async #turn(
    text: string | null,
    start: (signal: AbortSignal) => Promise<AgentResult | null>,
    begun: ConversationStart,
  ): Promise<void> {
    const { terminal } = this;
    const stop = new AbortController();
    this.#stop = stop;
    const show = this.#begins(begun.session);
    try {
      const result = await start(stop.signal);
      if (this.#begun !== begun) return;
      this.#stop = null;
      this.#rest();
      if (result !== null) show(result);
    } catch (error) {
      if (this.#begun !== begun) return;
      this.#stop = null;
      this.#rest();
      // A notice has just started a run: that run gets the user's text as well.
      if (text !== null && this.#woken) this.#unread.tellMain(text, begun.session);
      else terminal.print(terminal.paint("red", safeLine(errorMessage(error))));
    }
    this.#ends();
  }

  #wake(because: string): void {
    if (!this.#begun) return;
    this.terminal.gap();
    this.#note(`From the background: ${safeLine(because)}.`);
    this.#woken = this.#begins(this.#begun.session);
  }

  #answered(result: AgentResult): void {
    const show = this.#woken;
    this.#woken = null;
    this.#rest();
    show?.(result);
    this.#ends();
  }

  /** Starts to count what a turn uses; the returned function shows its result. */
  #begins(session: ReplSession): (result: AgentResult) => void {
    const { terminal } = this;
    const account = beginAccount(session);
    const startedAt = this.#io.clock.now();
    this.#said = "";
    this.#stopped = false;
    terminal.working();
    return (result) => {
      if (result.summary === this.#shown) return;
      this.#shown = result.summary;
      showResult(
        terminal,
        result,
        this.#said,
        account.lines(result, this.#io.clock.now() - startedAt, terminal.paint),
      );
      const goOn = this.#stopped && !this.#isLeaving ? goingOnWords(session.tree()) : null;
      if (goOn !== null) this.#note(goOn);
    };
  }

  #rest(): void {
    if (!this.#stop && !this.#woken) this.terminal.rest();
  }

  #ends(): void {
    if (this.#isLeaving) return;
    this.#idle();
    this.#begun?.turnEnded?.();
    if (!this.#stop && !this.#woken) this.#next();
  }

  #idle(): void {
    if (!this.#stop && !this.#woken) this.terminal.idle();
  }

  /** The user need not wait for its summary, which is shown when it arrives. */
  async #goOnWith({ id }: AgentView, text: string, session: ReplSession): Promise<void> {
    const { terminal } = this;
    try {
      const result = await session.resume(id, text);
      await terminal.ready(result.summary.text);
      if (this.#isHeld(session)) showAgentResult(terminal, result);
    } catch (error) {
      if (this.#isHeld(session)) terminal.print(terminal.paint("red", safeLine(errorMessage(error))));
    }
    if (this.#isHeld(session)) this.#idle();
  }

  #isHeld(session: ReplSession): boolean {
    return !this.#isLeaving && this.#begun?.session === session;
  }

  /** Prints a line outside the conversation, such as a warning of the session. */
  tell(words: string): void {
    this.#note(safeLine(words));
  }

  #note(words: string): void {
    const { columns, paint, print } = this.terminal;
    print(paint("dim", wrapText(words, columns()).join("\n")));
  }
}
