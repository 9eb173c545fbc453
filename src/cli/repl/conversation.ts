import { errorMessage } from "../../lib/errors.ts";
import { pause } from "../../mailbox/clock.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { UserHandler } from "../../policy/asks.ts";
import type { AgentResult } from "../../session/options.ts";
import type { AgentView, SupervisorEvent } from "../../supervisor/view.ts";
import { exitCodes } from "../exit-codes.ts";
import type { CliIO } from "../io.ts";
import { safeLine } from "../safe-text.ts";
import { terminalPerson } from "./asks/person.ts";
import { createDoublePress } from "./double-press.ts";
import type { ReplSession } from "./repl-session.ts";
import {
  callsSkill,
  isSlashCommand,
  runSlashCommand,
  type SlashContext,
  slashCommands,
} from "./slash-commands.ts";
import type { Terminal, TerminalListeners } from "./terminal.ts";
import { beginAccount } from "./turn-account.ts";
import { goingOnWords, showAgentResult, showResult } from "./turn-report.ts";
import { wrapText } from "./wrap.ts";

/** What lines are answered with, once there is a session. */
export interface Beginning {
  readonly session: ReplSession;
  readonly whyNot: SlashContext["whyNot"];
  readonly own: SlashContext["own"];
  /** Asked before the person has typed anything. */
  readonly prompt?: string | undefined;
  /** What was cut off goes on at once. */
  readonly goesOn: boolean;
  /** Keeps a line for the next conversations. */
  remember(line: string): void;
}

/** Milliseconds in which the words before a question are on the screen: longer than pieces of text are apart. */
const LAST_WORDS_MS = 60;
/** What it was doing goes on when the session is taken up again. */
const LEFT = "The session was left.";
const INTERRUPTED = "The person interrupted it.";

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
  /** Stops the turn that the person began. */
  #stop: AbortController | null = null;
  /** Shows what came of the turn that the conversation began by itself. */
  #woken: ((result: AgentResult) => void) | null = null;
  /** A turn that was begun by itself and asked for meanwhile is told twice, and shown once. */
  #shown: AgentResult["summary"] | null = null;
  /** Each stops a command of the person's that takes its time. */
  readonly #commands = new Set<AbortController>();
  /** The person has stopped the turn that runs. */
  #stopped = false;
  /** What was streamed of the reply. */
  #said = "";
  #isLeaving = false;

  constructor(io: CliIO, open: (listeners: TerminalListeners) => Terminal) {
    this.#io = io;
    this.#press = createDoublePress(io.clock);
    this.left = this.#leaving.promise;
    this.terminal = open({
      onLine: (text) => this.#onLine(text),
      onInterrupt: () => this.interrupt(),
      onEscape: () => void this.#stopTurn(),
      onEnd: (how) => this.leave(how === "left" ? exitCodes.done : exitCodes.hungUp),
    });
  }

  /** What can be called by the names that are known now. */
  completions(): readonly string[] {
    const session = this.#begun?.session;
    const others = [...(session?.skills() ?? []), ...(session?.mcp.prompts() ?? [])];
    return [...slashCommands, ...others.map(({ name }) => name)].map((name) => `/${name}`);
  }

  /** Asks by the terminal. A question of a turn that is stopped is withdrawn by the session. */
  get person(): UserHandler {
    const person = terminalPerson(this.terminal);
    return {
      ask: async (ask, signal) => {
        // What was said before it comes by another way, which may be longer.
        await pause(this.#io.clock, LAST_WORDS_MS, signal);
        return person.ask(ask, signal);
      },
    };
  }

  /** Lines are prompts from now on; what came before then is kept. */
  begin(beginning: Beginning): void {
    const { session, prompt, goesOn } = beginning;
    this.#begun = beginning;
    // Prompts of servers are looked for from now on.
    session.mcp.prompts();
    if (prompt !== undefined) this.#waiting.unshift(prompt);
    this.terminal.idle();
    if (goesOn) {
      void this.#turn(null, (signal) => session.resumeUnfinished(signal), beginning);
      for (const text of this.#waiting.splice(0)) this.#onLine(text);
    } else this.#next();
  }

  onEvent(event: SupervisorEvent): void {
    if (event.type === "text" && event.actor === MAIN) this.#said += event.text;
    if (event.type === "woken") this.#wake(event.because);
    this.terminal.onEvent(event);
    if (event.type === "answered") this.#answered(event.result);
  }

  /** Ctrl-C, as a key or as a signal: the turn, then all of it. */
  interrupt(): void {
    if (this.#press() === "twice") this.leave(exitCodes.interrupted);
    else if (!this.#stopTurn()) this.#note("Ctrl-C again leaves.");
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
    for (const command of this.#commands) command.abort(new Error(LEFT));
    // Whatever is asked before there is a session is asked no more.
    if (this.#begun) this.#begun.session.detach(LEFT);
    else this.terminal.close();
    this.#leaving.resolve(code);
  }

  /** Ends what the main conversation does and waits for; what runs in the background goes on. */
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

  #onLine(text: string): void {
    const begun = this.#begun;
    if (this.#isLeaving) return;
    if (!begun) return void this.#waiting.push(text);
    begun.remember(text);
    const { session } = begun;
    const hasServers = session.mcpServers().length > 0;
    const skill = isSlashCommand(text) && callsSkill(text, session.skills(), hasServers);
    if (isSlashCommand(text) && !skill) void this.#slash(text, begun);
    else if (!this.#stop && !this.#woken) this.#prompt(text, begun);
    // A skill is called by a prompt of its own.
    else if (skill) this.#waiting.push(text);
    else this.#tellMain(text, begun);
  }

  #prompt(text: string, begun: Beginning): void {
    void this.#turn(text, (signal) => begun.session.prompt(text, signal), begun);
  }

  /** Told while it works, it is heard at the next turn; an ending conversation hears it as its next prompt. */
  #tellMain(text: string, { session }: Beginning): void {
    if (session.send(MAIN, text) !== "queued") this.#waiting.push(text);
  }

  #next(): void {
    const text = this.#begun && !this.#isLeaving ? this.#waiting.shift() : undefined;
    if (text !== undefined) this.#onLine(text);
  }

  async #slash(line: string, { session, whyNot, own }: Beginning): Promise<void> {
    const { paint, columns, print, gap } = this.terminal;
    const stop = new AbortController();
    const words = await runSlashCommand(line, {
      session,
      whyNot,
      own,
      paint,
      now: () => this.#io.clock.now(),
      goOnWith: (agent, text) => void this.#goOnWith(agent, text, session),
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

  /** A turn that the person began; `text` is what they said, null where they only went on. */
  async #turn(
    text: string | null,
    start: (signal: AbortSignal) => Promise<AgentResult | null>,
    begun: Beginning,
  ): Promise<void> {
    const { terminal } = this;
    const stop = new AbortController();
    this.#stop = stop;
    const show = this.#begins(begun.session);
    try {
      const result = await start(stop.signal);
      this.#stop = null;
      this.#rest();
      if (result !== null) show(result);
    } catch (error) {
      this.#stop = null;
      this.#rest();
      // News have made it go on by itself at this very moment: then it hears the person as well.
      if (text !== null && this.#woken) this.#tellMain(text, begun);
      else terminal.print(terminal.paint("red", safeLine(errorMessage(error))));
    }
    this.#ends();
  }

  #wake(because: string): void {
    if (!this.#begun) return;
    this.terminal.gap();
    this.#note(`News from the background: ${safeLine(because)}.`);
    this.#woken = this.#begins(this.#begun.session);
  }

  #answered(result: AgentResult): void {
    const show = this.#woken;
    this.#woken = null;
    this.#rest();
    show?.(result);
    this.#ends();
  }

  /** Counts from here what a turn uses; the answer shows what came of it. */
  #begins(session: ReplSession): (result: AgentResult) => void {
    const { terminal } = this;
    const { clock } = this.#io;
    const account = beginAccount(session);
    const startedAt = clock.now();
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
        account.lines(result, clock.now() - startedAt, terminal.paint),
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
    if (!this.#stop && !this.#woken) this.#next();
  }

  #idle(): void {
    if (!this.#stop && !this.#woken) this.terminal.idle();
  }

  /** The person need not wait for its answer; it is shown when it comes. */
  async #goOnWith({ id }: AgentView, text: string, session: ReplSession): Promise<void> {
    const { terminal } = this;
    try {
      const result = await session.resume(id, text);
      if (!this.#isLeaving) showAgentResult(terminal, result);
    } catch (error) {
      if (!this.#isLeaving) terminal.print(terminal.paint("red", safeLine(errorMessage(error))));
    }
    if (!this.#isLeaving) this.#idle();
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
