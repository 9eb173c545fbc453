import { mainSpec } from "../features/agents/specs.ts";
import { MAIN } from "../mailbox/ids.ts";
import { type ActorRecord, FOR_THE_PERSON } from "../supervisor/actor-record.ts";
import type { ActorSystem } from "../supervisor/actor-system.ts";
import type { OnEvent } from "../supervisor/listener.ts";
import type { Spawning } from "../supervisor/spawning.ts";
import type { AgentResult } from "./options.ts";
import { blockedPrompt, preparePrompt } from "./prepare-prompt.ts";
import type { Session } from "./session.ts";
import { titleOf } from "./validate-request.ts";

/**
 * Threads booted one by one while the main conversation waits for its first reply, when the cores have nothing else
 * to do; a reply that begins with anything but an agent ends it.
 */
const SPARE_THREADS = 8;
const NEVER = new AbortController().signal;

export interface MainTurnsPorts {
  readonly session: Session;
  readonly lives: ActorSystem;
  readonly spawning: Spawning;
  readonly onEvent: OnEvent;
  /** Throws if the session is closed. */
  assertOpen(): void;
  isClosing(): boolean;
  /** Continues everything that was cut off. */
  goOnWithAll(): void;
  /** Says words to an actor that runs. */
  say(record: ActorRecord, text: string): void;
  resultOf(record: ActorRecord, signal?: AbortSignal): Promise<AgentResult>;
}

/** The turns of the main conversation, one at a time: prompts of the user, news that wake it, scheduled prompts. */
export class MainTurns {
  readonly #ports: MainTurnsPorts;
  /** The run that a prompt asked for last. */
  #promptedRun = 0;
  /** A prompt has taken its turn, and hooks, skills and files have their say before the conversation hears it. */
  #isPreparing = false;
  /** A scheduled prompt is about to begin. */
  #dueBegins: Promise<unknown> | null = null;
  /** It runs because of news or a timer, not for a prompt. */
  #wokenRun: Promise<AgentResult> | null = null;
  /** False: what is older than a resumed session waits for its first prompt. */
  mayWake = true;
  /** Of the first prompt, where nobody gave the session one. */
  title: string | null = null;

  constructor(ports: MainTurnsPorts) {
    this.#ports = ports;
  }

  /** What a turn will come to that began without the user; null if none runs. */
  get wokenRun(): Promise<AgentResult> | null {
    return this.#wokenRun;
  }

  async prompt(text: string, signal?: AbortSignal): Promise<AgentResult> {
    if (this.#dueBegins !== null) await this.#dueBegins;
    this.#refuseWhenBusy();
    return this.#submit(text, signal, (run) => {
      this.#promptedRun = run;
    });
  }

  /** News for it, or its turn has ended: it starts a turn by itself if there is something to say to it (A11.5). */
  wake(): void {
    const { lives, spawning, onEvent, isClosing, resultOf } = this.#ports;
    const main = lives.find(MAIN);
    if (isClosing() || !this.mayWake || this.#wokenRun !== null) return;
    if (main?.child.state !== "ended" || !main.owed.hasNews) {
      this.promptDue();
      return;
    }
    const because = main.owed.subjects.join("; ");
    const known = main.owed.newsSoFar;
    spawning.wake(main);
    onEvent({ type: "woken", because });
    this.#showAnswer(resultOf(main), known);
  }

  /** A scheduled prompt begins a turn as if the user had typed it, but never while another one runs (A15.5). */
  promptDue(): void {
    const { session, lives, onEvent, isClosing } = this.#ports;
    const main = lives.find(MAIN);
    const isBusy = this.#isPreparing || this.#wokenRun !== null || (main && main.child.state !== "ended");
    if (isClosing() || !this.mayWake || isBusy) return;
    const due = session.timers?.take() ?? null;
    if (due === null) return;
    const known = main?.owed.newsSoFar ?? 0;
    onEvent({ type: "woken", because: due.because });
    const begun = Promise.withResolvers<void>();
    this.#dueBegins = begun.promise;
    const hasBegun = () => {
      this.#dueBegins = null;
      begun.resolve();
    };
    const answer = this.#submit(due.prompt, undefined, hasBegun)
      .catch((error: Error) => blockedPrompt(error.message))
      .finally(hasBegun);
    this.#showAnswer(answer, known);
  }

  /** Begins a turn; `onRun` hears its run before other prompts can come. */
  async #submit(
    text: string,
    signal: AbortSignal | undefined,
    onRun: (run: number) => void,
  ): Promise<AgentResult> {
    const { session, lives, assertOpen, goOnWithAll, resultOf } = this.#ports;
    this.#isPreparing = true;
    try {
      const first = lives.find(MAIN) === undefined;
      const asked = preparePrompt(text, session, { first, signal: signal ?? NEVER });
      const prompt =
        asked === null ? { type: "go" as const, text, mentions: text, attached: [] } : await asked;
      if (prompt.type === "blocked") return blockedPrompt(prompt.reason);
      const told = session.common.knowledge.userTurn(prompt.mentions, prompt.attached);
      if (session.known !== null || told !== null) await Promise.all([session.known, told]);
      assertOpen();
      this.#tellMissingServers();
      this.title ??= session.common.options.title === undefined ? titleOf(text) : null;
      goOnWithAll();
      const record = this.#hear(prompt.text);
      onRun(record.run);
      session.warm(SPARE_THREADS);
      return resultOf(record, signal);
    } finally {
      // Not when the run has ended: until then, the run itself refuses other prompts.
      this.#isPreparing = false;
    }
  }

  /** `known`: news that the conversation had when this run began. */
  #showAnswer(run: Promise<AgentResult>, known: number): void {
    this.#wokenRun = run;
    void run.then((result) => {
      this.#wokenRun = null;
      this.#ports.onEvent({ type: "answered", result });
      const news = this.#ports.lives.find(MAIN)?.owed.newsSoFar ?? 0;
      // What came too late for it; but a user who has stopped it does not want more of it.
      if (result.summary.status !== "cancelled" && news > known) this.wake();
      else this.promptDue();
    });
  }

  /** Of all kinds of agents that the conversation can start, as they are now. */
  #tellMissingServers(): void {
    const { common, definitions, servers, toolbox } = this.#ports.session;
    if (common.limits.maxDepth > 0 && toolbox.find("Agent")) servers.named.tell(definitions);
  }

  /** The conversation hears the user: for the first time, as one more prompt, or in what it does by itself. */
  #hear(text: string): ActorRecord {
    const { session, lives, spawning, say } = this.#ports;
    const main = lives.find(MAIN);
    if (!main) return spawning.begin(mainSpec(session.common, text), FOR_THE_PERSON);
    if (main.child.state === "ended") void spawning.ask(main, text, FOR_THE_PERSON);
    else say(main, text);
    return main;
  }

  /** Before anything of a prompt is awaited or run: two that overlap would share hooks, skills and files. */
  #refuseWhenBusy(): void {
    const main = this.#ports.lives.find(MAIN);
    const isRunning = main !== undefined && main.child.state !== "ended" && main.run === this.#promptedRun;
    if (this.#isPreparing || isRunning)
      throw new Error("The main conversation is still busy with the last prompt.");
  }
}
