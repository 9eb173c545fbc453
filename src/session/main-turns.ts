import { imageReference } from "../context/references.ts";
import type { AgentResult } from "../events/agent-result.ts";
import type { OnEvent } from "../events/listener.ts";
import { mainOwnParts } from "../features/agents/own-parts.ts";
import { specOf } from "../features/agents/specs.ts";
import type { Picture } from "../mailbox/conversation.ts";
import { MAIN } from "../mailbox/ids.ts";
import type { Actor } from "../supervisor/actor-record.ts";
import type { Joints } from "../supervisor/joints.ts";
import { FOR_THE_USER } from "../supervisor/run-state.ts";
import type { OpenSession } from "./open-session.ts";
import { blockedPrompt, openedBy, preparePrompt } from "./prepare-prompt.ts";
import { titleOf } from "./validate-request.ts";

const NEVER = new AbortController().signal;

export interface MainTurnsParts {
  readonly session: OpenSession;
  readonly onEvent: OnEvent;
  /** Throws if the session is closed. */
  assertOpen(): void;
  isClosing(): boolean;
  /** Continues everything that was cut off. */
  resumeAll(): void;
  resultOf(actor: Actor, signal?: AbortSignal): Promise<AgentResult>;
}

/** The turns of the main conversation, one at a time: prompts of the user, notices that wake it, scheduled prompts. */
export class MainTurns {
  readonly #parts: MainTurnsParts;
  /** Joint: `onEvent` (it is idle and has input). */
  readonly joints: Joints = {
    onEvent: (event) => {
      if (event.type === "idle") this.wake();
    },
  };
  /** The run that a prompt asked for last. */
  #promptedRun = 0;
  /** A prompt has taken its turn, and hooks, skills and files have their say before the conversation hears it. */
  #isPreparing = false;
  /** A scheduled prompt is about to start. */
  #dueStarts: Promise<unknown> | null = null;
  /** It runs because of a notice or a timer, not for a prompt. */
  #wokenRun: Promise<AgentResult> | null = null;
  /** False: what is older than a resumed session waits for its first prompt. */
  #mayWake: boolean;
  /** It has heard a prompt in this process. */
  #hasHeard = false;
  /** Of the first prompt, if the session was given no title. */
  #title: string | null = null;

  constructor(parts: MainTurnsParts) {
    this.#parts = parts;
    this.#mayWake = parts.session.options.resume === undefined;
  }

  get title(): string | null {
    return this.#title;
  }

  /** The result of a turn that started without the user; null if none runs. */
  get wokenRun(): Promise<AgentResult> | null {
    return this.#wokenRun;
  }

  /** What the session had before it was resumed has been started. */
  allowWaking(): void {
    this.#mayWake = true;
  }

  async prompt(
    text: string,
    signal: AbortSignal | undefined,
    images: readonly Picture[],
  ): Promise<AgentResult> {
    if (this.#dueStarts !== null) await this.#dueStarts;
    this.#assertNotBusy();
    const onRun = (run: number) => {
      this.#promptedRun = run;
    };
    return this.#submit(text, signal, onRun, images);
  }

  /** It has input, or its turn has ended: it starts a turn by itself if there is something to say to it (A11.5). */
  wake(): void {
    const { session, onEvent, isClosing, resultOf } = this.#parts;
    const main = session.actors.find(MAIN);
    if (isClosing() || !this.#mayWake || this.#wokenRun !== null) return;
    if (!main?.hasEnded || !main.inbox.hasInput) {
      this.promptDue();
      return;
    }
    const because = main.inbox.subjects.join("; ");
    const known = main.inbox.arrivals;
    session.spawn.wake(main);
    onEvent({ type: "woken", because });
    this.#showAnswer(resultOf(main), known);
  }

  /** A scheduled prompt starts a turn as if the user had typed it, but never while another one runs (A15.5). */
  promptDue(): void {
    const { session, onEvent, isClosing } = this.#parts;
    const main = session.actors.find(MAIN);
    const isBusy = this.#isPreparing || this.#wokenRun !== null || (main && !main.hasEnded);
    if (isClosing() || !this.#mayWake || isBusy) return;
    const due = session.timers?.take() ?? null;
    if (due === null) return;
    const known = main?.inbox.arrivals ?? 0;
    onEvent({ type: "woken", because: due.because });
    const started = Promise.withResolvers<void>();
    this.#dueStarts = started.promise;
    const hasStarted = () => {
      this.#dueStarts = null;
      started.resolve();
    };
    const answer = this.#submit(due.prompt, undefined, hasStarted)
      .catch((error: Error) => blockedPrompt(error.message))
      .finally(hasStarted);
    this.#showAnswer(answer, known);
  }

  /** Starts a turn; `onRun` is called with its run before other prompts can come. */
  async #submit(
    text: string,
    signal: AbortSignal | undefined,
    onRun: (run: number) => void,
    images: readonly Picture[] = [],
  ): Promise<AgentResult> {
    const { session, assertOpen, resumeAll, resultOf } = this.#parts;
    const { hooks, permissions, skills, servers, options, context, known } = session;
    this.#isPreparing = true;
    try {
      const opened = this.#hasHeard ? null : openedBy(options);
      const side = { hooks, caller: permissions.caller, skills, servers, options };
      const preparing = preparePrompt(text, side, { opened, signal: signal ?? NEVER });
      const prompt =
        preparing === null ? { type: "go" as const, text, mentions: text, attached: [] } : await preparing;
      if (prompt.type === "blocked") return blockedPrompt(prompt.reason);
      const looking = context.userTurn(prompt.mentions, [
        ...(prompt.attached ?? []),
        ...images.map(imageReference),
      ]);
      if (known !== null || looking !== null) await Promise.all([known, looking]);
      assertOpen();
      this.#warnOfMissingServers();
      this.#setTitle(text);
      resumeAll();
      this.#hasHeard = true;
      const main = this.#tell(prompt.text);
      onRun(main.run);
      return resultOf(main, signal);
    } finally {
      // Not when the run has ended: until then, the run itself refuses other prompts.
      this.#isPreparing = false;
    }
  }

  /** A list of sessions shows it from the first prompt on. */
  #setTitle(prompt: string): void {
    const { options, journal } = this.#parts.session;
    if (this.#title !== null || options.title !== undefined) return;
    this.#title = titleOf(prompt);
    journal.note({ type: "title", title: this.#title });
  }

  /** `known`: inputs that the conversation had had when this run started. */
  #showAnswer(run: Promise<AgentResult>, known: number): void {
    this.#wokenRun = run;
    void run.then((result) => {
      this.#wokenRun = null;
      this.#parts.onEvent({ type: "answered", result });
      const arrivals = this.#parts.session.actors.find(MAIN)?.inbox.arrivals ?? 0;
      // What came too late for it; but a user who has stopped it does not want more of it.
      if (result.summary.status !== "cancelled" && arrivals > known) this.wake();
      else this.promptDue();
    });
  }

  /** Of all agent types that the conversation can start, as they are now. */
  #warnOfMissingServers(): void {
    const { limits, types, servers, toolbox } = this.#parts.session;
    if (limits.maxDepth > 0 && toolbox.find("Agent")) servers.named.tellAll(types.all);
  }

  /** The conversation hears the user: for the first time, as one more prompt, or in a turn of its own. */
  #tell(text: string): Actor {
    const { actors, spawn, common, onWarning } = this.#parts.session;
    const main = actors.find(MAIN);
    if (!main) {
      const build = () => specOf(common, mainOwnParts(common, text));
      return spawn.start({ id: MAIN, build, runFor: FOR_THE_USER, definition: null });
    }
    const delivered = main.hasEnded ? spawn.ask(main, text) : spawn.send(main, text);
    delivered.catch((error: Error) => onWarning(error.message));
    return main;
  }

  /** Before anything of a prompt is awaited or run: two that overlap would share hooks, skills and files. */
  #assertNotBusy(): void {
    const main = this.#parts.session.actors.find(MAIN);
    const isRunning = main !== undefined && !main.hasEnded && main.run === this.#promptedRun;
    if (this.#isPreparing || isRunning)
      throw new Error("The main conversation is still busy with the last prompt.");
  }
}
