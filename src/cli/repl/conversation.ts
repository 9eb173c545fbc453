import type { SupervisorEvent } from "../../events/event.ts";
import { pause } from "../../lib/clock.ts";
import type { UserHandler } from "../../policy/user-requests.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import type { Completer } from "../../terminal/input/completions.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { wrapText } from "../../terminal/wrap.ts";
import { exitCodes } from "../exit-codes.ts";
import type { CliIO } from "../process-io.ts";
import { agentActions } from "./agent-actions.ts";
import { terminalPerson } from "./asks/person.ts";
import { acceptEdits, nextMode } from "./confirm-mode.ts";
import { Conflicts } from "./conflicts.ts";
import { createDoublePress } from "./key-timing.ts";
import type { PromptImages } from "./prompt-images.ts";
import { callsSkill, isSlashCommand } from "./slash-commands.ts";
import type { SlashContext } from "./slash-context.ts";
import type { Terminal, TerminalListeners } from "./terminal.ts";
import { Turns } from "./turns.ts";
import { argumentsOf, menuOf, UserCommands } from "./typed-commands.ts";
import { UnreadInput } from "./unread-input.ts";
import type { UserPrograms } from "./user-programs.ts";

/** What handles lines, once there is a session. */
export interface ConversationStart {
  readonly session: SupervisorHandle;
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
  readonly #unread: UnreadInput;
  readonly #turns: Turns;
  readonly #conflicts: Conflicts;
  readonly #commands: UserCommands;
  readonly #leaving = Promise.withResolvers<number>();
  #begun: ConversationStart | null = null;
  readonly #images: PromptImages;
  #isLeaving = false;
  #isClearing = false;

  constructor(
    io: CliIO,
    { programs, images }: { readonly programs: UserPrograms; readonly images: PromptImages },
    open: (listeners: TerminalListeners, completer: Completer) => Terminal,
  ) {
    this.#io = io;
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
          ({ id }, text, session) => void this.#turns.resumeAgent(session, id, text),
        ),
        onEnd: (how) => this.leave(how === "left" ? exitCodes.done : exitCodes.hungUp),
      },
      {
        commands: () => menuOf(this.#begun?.session),
        arguments: (command) => argumentsOf(command, this.#begun?.session),
        files: (signal) => programs.files(signal),
      },
    );
    const { terminal } = this;
    const now = () => io.clock.now();
    const isLeaving = () => this.#isLeaving;
    this.#turns = new Turns({
      ...{ terminal, now, isLeaving, note: (words) => this.#note(words) },
      session: () => this.#begun?.session,
      onEnd: () => this.#turnEnded(),
    });
    this.#conflicts = new Conflicts({
      terminal,
      resume: (id, text) => {
        const { session } = this.#begun ?? {};
        if (session && !isLeaving()) void this.#turns.resumeAgent(session, id, text);
      },
    });
    this.#commands = new UserCommands({
      ...{ terminal, programs, now, isLeaving },
      onRan: (report) => this.#unread.ran(report),
      onEnd: () => this.#turns.idle(),
    });
  }

  /** The directory that the conversation is about. */
  get cwd(): string {
    return this.#begun?.own.cwd ?? this.#io.cwd;
  }

  /** Asks at the terminal. The session withdraws a question of a stopped turn. */
  get person(): UserHandler {
    const person = terminalPerson(this.terminal, () => ({
      own: this.#begun?.own,
      acceptEdits: this.#begun ? acceptEdits(this.#begun) : undefined,
    }));
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
      void this.#turns.run(session, (signal) => session.resumeUnfinished(signal));
      for (const text of this.#unread.takeWaiting()) this.#onLine(text);
    } else this.#next();
  }

  onEvent(event: SupervisorEvent): void {
    const read = this.#unread.readBy(event);
    for (const line of read) this.terminal.echo(line);
    if (read.length > 0) this.#showQueued();
    this.#conflicts.onEvent(event);
    this.#turns.onEvent(event);
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
    this.#conflicts.forget();
    // Withdraws what was asked before there was a session.
    if (this.#begun) this.#begun.session.detach(LEFT);
    else this.terminal.close();
    // Afterwards: stopping one must not end what will be resumed.
    this.#commands.stop(LEFT);
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
      this.#turns.forget();
      this.#conflicts.forget();
      session.detach(LEFT);
      this.#commands.stop(LEFT);
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
    this.#showQueued();
    return stopped;
  }

  /** Ends what the main conversation does and waits for; the background continues. */
  #stopTurn(): boolean {
    if (this.#isLeaving || !(this.#turns.isRunning || this.#commands.areRunning)) return false;
    this.#note("Stopping; Ctrl-C again leaves.");
    this.#commands.stop(INTERRUPTED);
    this.#turns.stop(INTERRUPTED);
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
    if (!begun || this.#isClearing) return void this.#wait(text);
    begun.remember(text);
    const { session } = begun;
    const hasServers = session.mcpServers().length > 0;
    const skill = isSlashCommand(text) && callsSkill(text, session.skills(), hasServers);
    const [, command] = /^!\s*([\s\S]*\S)/.exec(text) ?? [];
    const runsNow = command !== undefined || (isSlashCommand(text) && !skill) || !this.#turns.isRunning;
    if (runsNow) this.terminal.echo(this.#unread.typedAs(text));
    if (command !== undefined) void this.#commands.runInShell(command);
    else if (isSlashCommand(text) && !skill) void this.#slash(text, begun);
    else if (runsNow) this.#prompt(text, begun);
    // A skill runs as a prompt of its own.
    else if (skill) this.#wait(text);
    else {
      this.#unread.tellMain(text, session);
      this.#showQueued();
    }
  }

  #wait(text: string): void {
    this.#unread.wait(text);
    this.#showQueued();
  }

  /** What nothing has read yet is shown until something does. */
  #showQueued(): void {
    this.terminal.showQueued(this.#unread.lines);
  }

  #prompt(text: string, { session }: ConversationStart): void {
    const prompt = this.#unread.withRun(text);
    const images = this.#images.of(prompt);
    void this.#turns.run(
      session,
      (signal) => session.prompt(prompt, signal, images),
      () => this.#unread.tellMain(prompt, session, { isShown: true }),
    );
  }

  #next(): void {
    const isOpen = this.#begun && !this.#isLeaving && !this.#isClearing;
    const text = isOpen ? this.#unread.next() : undefined;
    if (text !== undefined) {
      this.#showQueued();
      this.#onLine(text);
    } else if (isOpen && !this.#turns.isRunning) void this.#conflicts.ask();
  }

  async #slash(line: string, begun: ConversationStart): Promise<void> {
    const { session, whyNot, own } = begun;
    await this.#commands.runSlash(line, {
      ...{ session, whyNot, own, contextTokens: this.#turns.contextTokens },
      goOnWith: ({ id }, text) => void this.#turns.resumeAgent(session, id, text),
      clear: () => this.#replace(begun.clear, begun),
      rewindTo: (seq) => this.#replace(() => begun.rewindTo(seq), begun),
      leave: () => this.leave(exitCodes.done),
    });
  }

  #turnEnded(): void {
    this.#begun?.turnEnded?.();
    if (!this.#turns.isRunning) this.#next();
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
