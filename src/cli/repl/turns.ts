import type { AgentResult } from "../../events/agent-result.ts";
import type { AgentView, SupervisorEvent } from "../../events/event.ts";
import { errorMessage } from "../../lib/errors.ts";
import { totalTokens } from "../../mailbox/conversation.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import { counted } from "../../terminal/figures.ts";
import { safeLine, safeText } from "../../terminal/safe-text.ts";
import { wrapText } from "../../terminal/wrap.ts";
import { agentName, statusMark } from "../agent-text.ts";
import { unfinishedAgents } from "../unfinished.ts";
import type { Terminal } from "./terminal.ts";
import { beginAccount } from "./turn-account.ts";

export interface TurnsParts {
  readonly terminal: Terminal;
  now(): number;
  /** The session of the conversation as it is now. */
  session(): SupervisorHandle | undefined;
  isLeaving(): boolean;
  note(words: string): void;
  /** Called after each turn, while another one may run. */
  onEnd(): void;
}

type Turn = (signal: AbortSignal) => Promise<AgentResult | null>;

/** The turns of the main conversation: those that the user starts, and those that it starts by itself. */
export class Turns {
  readonly #parts: TurnsParts;
  /** Stops the turn that the user started. */
  #stop: AbortController | null = null;
  /** Shows the result of a turn that the conversation started by itself. */
  #woken: ((result: AgentResult) => void) | null = null;
  /** A turn that started by itself and was then steered reports twice, and is shown once. */
  #shown: AgentResult["summary"] | null = null;
  /** True if the user has stopped the running turn. */
  #stopped = false;
  /** The part of the reply streamed so far. */
  #said = "";
  #contextTokens: number | null = null;

  constructor(parts: TurnsParts) {
    this.#parts = parts;
  }

  get isRunning(): boolean {
    return this.#stop !== null || this.#woken !== null;
  }

  /** What the conversation uses of the model's window; null until its next reply. */
  get contextTokens(): number | null {
    return this.#contextTokens;
  }

  onEvent(event: SupervisorEvent): void {
    const { terminal, note } = this.#parts;
    const session = this.#parts.session();
    if ((event.type === "text" || event.type === "thinking") && event.actor === MAIN) {
      // Pieces of a stopped reply may come after the end of its turn.
      if (!this.isRunning) return;
      if (event.type === "text") this.#said += event.text;
    }
    if (event.type === "message" && event.actor === MAIN && event.usage)
      this.#contextTokens = totalTokens(event.usage);
    if (event.type === "compacted" && event.actor === MAIN) this.#contextTokens = event.after;
    if (event.type === "woken" && session) {
      terminal.gap();
      note(`From the background: ${safeLine(event.because)}.`);
      this.#woken = this.#begin(session);
    }
    terminal.onEvent(event);
    if (event.type === "answered" && session) {
      const show = this.#woken;
      this.#woken = null;
      this.#end(() => show?.(event.result));
    }
  }

  /** Runs a turn that the user started. `tellOther` gives its text to the run that a notice has just started, if there is one. */
  async run(session: SupervisorHandle, start: Turn, tellOther?: () => void): Promise<void> {
    const stop = new AbortController();
    this.#stop = stop;
    const show = this.#begin(session);
    let report: () => void;
    try {
      const result = await start(stop.signal);
      report = () => {
        if (result !== null) show(result);
      };
    } catch (error) {
      report = () => (tellOther && this.#woken ? tellOther() : this.#printError(error));
    }
    if (this.#parts.session() !== session) return;
    this.#stop = null;
    this.#end(report);
  }

  /** Resumes an agent. The user need not wait for its summary, which is shown when it arrives. */
  async resumeAgent(session: SupervisorHandle, id: ActorId, text: string): Promise<void> {
    const { terminal } = this.#parts;
    const isHeld = () => !this.#parts.isLeaving() && this.#parts.session() === session;
    try {
      const result = await session.resume(id, text);
      await terminal.ready(result.summary.text);
      if (isHeld()) showAgentResult(terminal, result);
    } catch (error) {
      if (isHeld()) this.#printError(error);
    }
    if (isHeld()) this.idle();
  }

  /** Ends what the main conversation does and waits for; the background continues. */
  stop(reason: string): void {
    if (!this.isRunning) return;
    this.#stopped = true;
    this.#stop?.abort(new Error(reason));
    if (this.#woken) this.#parts.session()?.cancel(MAIN, reason, "foreground");
  }

  /** Forgets the turns of a session that is replaced: their ends are not shown. */
  forget(): void {
    this.#stop = null;
    this.#woken = null;
    this.#contextTokens = null;
  }

  /** Shows that a prompt can be typed, unless a turn runs. */
  idle(): void {
    if (!this.isRunning) this.#parts.terminal.idle();
  }

  /** Starts to count what a turn uses; the returned function shows its result. */
  #begin(session: SupervisorHandle): (result: AgentResult) => void {
    const { terminal, now, note } = this.#parts;
    const account = beginAccount(session);
    const startedAt = now();
    this.#said = "";
    this.#stopped = false;
    terminal.working();
    return (result) => {
      if (result.summary === this.#shown) return;
      this.#shown = result.summary;
      const how = { ms: now() - startedAt, isStopped: this.#stopped };
      const lines = account(result, how, terminal.paint);
      showResult(terminal, result, this.#said, lines);
      const goOn = this.#stopped && !this.#parts.isLeaving() ? goingOnWords(session.tree()) : null;
      if (goOn !== null) note(goOn);
    };
  }

  #end(report: () => void): void {
    if (!this.isRunning) this.#parts.terminal.rest();
    report();
    if (this.#parts.isLeaving()) return;
    this.idle();
    this.#parts.onEnd();
  }

  #printError(error: unknown): void {
    const { print, paint } = this.#parts.terminal;
    print(paint("red", safeLine(errorMessage(error))));
  }
}

type Shown = Pick<Terminal, "print" | "gap" | "paint" | "columns" | "replyRows">;

/** Shows what is not on the screen yet, then the lines of its usage. */
export function showResult(
  { print, gap, columns, replyRows }: Shown,
  { summary }: AgentResult,
  said: string,
  account: readonly string[],
): void {
  const show = (words: string) => print(wrapText(words, columns()).join("\n"));
  gap();
  // Text that was not streamed comes from the runtime, such as the last text of a failed agent.
  const text = safeText(summary.text).trim();
  if (text !== "" && !safeText(said).includes(text)) {
    print(replyRows(summary.text.trim()).join("\n"));
    gap();
  }
  for (const line of account) show(line);
}

/** Shows the summary of an agent that the user resumed. */
export function showAgentResult(
  { print, gap, paint, columns, replyRows }: Shown,
  { id, type, description, summary }: AgentResult,
): void {
  gap();
  print(`${statusMark(summary.status, paint)} ${paint("bold", agentName({ id, type, description }))}`);
  const reason = summary.status === "done" ? "" : safeLine(summary.reason ?? "");
  const text = summary.text.trim();
  if (text !== "") print(replyRows(text).join("\n"));
  if (reason !== "") print(wrapText(reason, columns()).join("\n"));
  gap();
}

/** Agents named in the line about those that continue. */
const NAMED = 3;

/** Names the agents that continue although the turn was stopped; null if none do. */
export function goingOnWords(views: readonly AgentView[]): string | null {
  const agents = unfinishedAgents(views);
  if (agents.length === 0) return null;
  const named = agents.slice(0, NAMED).map(agentName);
  const names = [...named, ...(agents.length > NAMED ? ["…"] : [])].join(", ");
  const [go, them] = agents.length === 1 ? ["goes", "it"] : ["go", "them"];
  return safeLine(
    `${counted(agents.length, "agent")} ${go} on in the background (${names}); /stop ends ${them}.`,
  );
}
