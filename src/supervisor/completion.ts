import type { Journal } from "../journal/journal.ts";
import { type Clock, pause, within } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { MAIN } from "../mailbox/ids.ts";
import type { Summary } from "../mailbox/messages.ts";
import type { Finish as FinishRequest } from "../mailbox/services.ts";
import type { Gateway } from "../model/client.ts";
import type { Processes } from "../processes/processes.ts";
import type { Actor } from "./actor-record.ts";
import type { Delivery } from "./delivery.ts";
import type { CoreEvent, Joints, KeptAlive } from "./joints.ts";
import type { ActorEvent, End } from "./lifecycle.ts";

export interface CompletionParts {
  readonly joints: readonly Joints[];
  readonly journal: Pick<Journal, "append" | "note">;
  readonly gateway: Pick<Gateway, "disconnect">;
  readonly processes: Pick<Processes, "stopOwner">;
  readonly clock: Clock;
  readonly delivery: Delivery;
  /** The main conversation ends with its answer, and is woken by what comes from its background. */
  readonly wakesMain: boolean;
  /** Milliseconds that commands alone keep an actor from ending. */
  readonly backgroundMs: number;
  all(): readonly Actor[];
  advance(actor: Actor, event: ActorEvent): void;
  changed(actor: Actor): void;
  emit(event: CoreEvent): void;
  /** Stops what only waits for this one. */
  stopAwaited(owner: Actor): void;
  onWarning(message: string): void;
}

/** One for all: an error made for each would keep, by its stack, the ports of its loop and all that they have carried. */
export const ENDED = new Error("The agent has ended.");

/** Milliseconds that an end waits for its record and for the agent's processes to be gone, and for its work to be saved. */
const RECORD_MS = 10_000;
const SAVE_MS = 30_000;

type Conclusion = { readonly type: "continues" } | { readonly type: "ends"; readonly summary: Summary };

/**
 * May it end? Decided here, for every actor: it may when it has read all its input, when nothing runs in its background,
 * and when no feature has it continue. Then its one summary is made durable, and after that delivered.
 */
export class Completion {
  readonly #parts: CompletionParts;
  /** Summaries that are not on disk yet. */
  readonly #writing = new Set<Promise<void>>();

  constructor(parts: CompletionParts) {
    this.#parts = parts;
  }

  /** A loop wants to end its run. `idle`: the loop may end, and its actor is kept without one. */
  async finish(
    actor: Actor,
    { summary, compacted }: Pick<FinishRequest, "summary" | "compacted">,
    assertCurrent: () => void,
  ): Promise<"continues" | "idle" | "ended"> {
    // A run that only compacts has no answer, so features are not asked whether it may end.
    const hasAnswered = !compacted && (summary.status === "done" || summary.status === "partial");
    if ((compacted || hasAnswered) && !actor.isStopped && hasPendingInput(actor)) {
      if (hasAnswered) actor.continueAfter(summary.text);
      return "continues";
    }
    if (hasAnswered && !actor.isStopped && this.#keptAlive(actor).length > 0) {
      void this.#keep(actor, summary);
      return "idle";
    }
    const conclusion: Conclusion = hasAnswered
      ? await this.#conclude(actor, summary)
      : { type: "ends", summary: actor.withEarlierAnswers(summary) };
    assertCurrent();
    if (conclusion.type === "continues" && !actor.isStopped) return "continues";
    const last = conclusion.type === "ends" ? conclusion.summary : actor.withEarlierAnswers(summary);
    this.#parts.advance(actor, { type: "summary", summary: last });
    return "ended";
  }

  /** An actor that has answered is kept without a loop, and continues in a new one if input comes. */
  async #keep(actor: Actor, summary: Summary): Promise<void> {
    const { advance } = this.#parts;
    const { run } = actor;
    const isOver = () => actor.hasEnded || actor.run !== run;
    advance(actor, { type: "idle" });
    actor.setSaid(summary.text);
    const hasInput = await this.#awaitBackground(actor);
    if (isOver()) return;
    if (!hasInput) {
      const conclusion = await this.#conclude(actor, summary);
      if (isOver()) return;
      if (conclusion.type === "ends") return advance(actor, { type: "summary", summary: conclusion.summary });
    }
    actor.continueAfter(summary.text);
    advance(actor, { type: "waited" });
  }

  /** One that had answered before the program died: its model is not asked again. */
  async conclude(actor: Actor, answer: Summary): Promise<void> {
    const { advance } = this.#parts;
    const { run } = actor;
    advance(actor, { type: "idle" });
    actor.keepFor({ type: "tool", tool: "Agent", title: "its answer from before the crash is completed" });
    const conclusion = await this.#conclude(actor, answer, true);
    actor.keepFor(null);
    if (actor.hasEnded || actor.run !== run) return;
    if (conclusion.type === "ends") return advance(actor, { type: "summary", summary: conclusion.summary });
    actor.continueAfter(answer.text);
    advance(actor, { type: "waited" });
  }

  /** Features have the last word (A5.10): each may have it continue, or change its summary. */
  async #conclude(actor: Actor, given: Summary, isRestored = false): Promise<Conclusion> {
    const { signal } = actor.stopping;
    let summary = actor.withEarlierAnswers(given);
    for (const feature of this.#parts.joints) {
      const finish = await feature.beforeFinish?.({
        ...{ actor, text: given.text, summary, isRestored, signal },
      });
      if (finish === undefined) continue;
      if ("summary" in finish) summary = finish.summary;
      else if (!signal.aborted) {
        actor.inbox.pushMessage(finish.continueWith);
        return { type: "continues" };
      }
      // That takes time, in which input may have come. But once its edits are merged, its work is over.
      if (summary.worktree === undefined && hasPendingInput(actor) && !signal.aborted) {
        actor.continueAfter(given.text);
        return { type: "continues" };
      }
    }
    return { type: "ends", summary };
  }

  /** Resolves when input has come, or nothing keeps it any longer: whether it has input to continue with. */
  async #awaitBackground(actor: Actor): Promise<boolean> {
    const { clock, backgroundMs, changed } = this.#parts;
    const { signal } = actor.stopping;
    const over = new AbortController();
    const abort = () => over.abort();
    signal.addEventListener("abort", abort, { once: true });
    const commandsMayRun = pause(clock, backgroundMs, over.signal);
    const stopped = pause(clock, Number.MAX_SAFE_INTEGER, over.signal);
    try {
      for (;;) {
        const kept = this.#keptAlive(actor);
        if (signal.aborted || actor.inbox.hasInput || kept.length === 0) break;
        const title = `in the background: ${kept.map((one) => one.title).join("; ")}`;
        actor.keepFor({ type: "tool", tool: kept[0]?.kind === "command" ? "Bash" : "Agent", title });
        changed(actor);
        const hasAgents = kept.some(({ kind }) => kind === "agent");
        const timeIsUp = await Promise.race([
          actor.inbox.waitForInput().then(() => false),
          Promise.race(kept.map(({ ended }) => ended)).then(() => false),
          (hasAgents ? stopped : commandsMayRun).then(() => true),
        ]);
        if (timeIsUp) break;
      }
    } finally {
      actor.keepFor(null);
      signal.removeEventListener("abort", abort);
      over.abort();
    }
    return hasPendingInput(actor) && !signal.aborted;
  }

  /** What runs in its background. */
  #keptAlive(actor: Actor): KeptAlive[] {
    const { joints, delivery, all, wakesMain } = this.#parts;
    if (actor.id === MAIN && wakesMain) return [];
    const agents = all()
      // Also one that has ended, until its result is delivered.
      .filter((other) => other.runFor.background && !other.delivered && delivery.waitingFor(other) === actor)
      .map(({ title, ended }): KeptAlive => ({ kind: "agent", title, ended }));
    return [...agents, ...joints.flatMap((feature) => feature.keepsAlive?.(actor) ?? [])];
  }

  /** Resolves when every end so far is durable and delivered. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing);
  }

  /** A run has ended: all that it held is released, its summary is made durable, and then delivered. */
  finalize(actor: Actor, end: End): void {
    const { journal, processes, clock, delivery, wakesMain } = this.#parts;
    // Taken now: before the disk has answered, the next run of the same actor may have begun.
    const { deliver, run, runFor } = actor;
    const isIdle = actor.id === MAIN && wakesMain && !actor.life.signal.aborted;
    const given = end.by === "agent" ? end.summary : actor.salvage(end.status, end.reason);
    const { summary, saves } = this.#changesAtEnd(actor, given, isIdle);
    const durationMs = clock.now() - (actor.startedAt ?? actor.createdAt);
    this.#release(actor, end, summary, isIdle);
    // Only the main conversation is asked again right away; what an agent was is in the journal.
    if (actor.id !== MAIN) actor.forget();
    const stopped = isIdle ? Promise.resolve() : processes.stopOwner(actor.id);
    const append = (written: Summary) =>
      journal.append({ type: "summary", actor: actor.id, run, summary: written, durationMs });
    let last = summary;
    const save = async () => {
      await Promise.allSettled([stopped]);
      for (const one of saves) last = await one(last);
      if (actor.run === run) actor.amendSummary(last);
      await append(last);
    };
    const recorded = saves.length > 0 ? save() : append(summary);
    const kept = Promise.allSettled([recorded, stopped]).then((outcomes) => {
      for (const outcome of outcomes) {
        if (outcome.status === "rejected") this.#warn(outcome.reason);
      }
    });
    // A disk or a host that hangs must not hold up an end without limit.
    const ms = saves.length > 0 ? SAVE_MS + RECORD_MS : RECORD_MS;
    const written = within(clock, ms, kept).then(async (inTime) => {
      if (!inTime)
        this.#warn(`The end of agent ${actor.id} was not on disk within ${ms / 1000} s; check the disk.`);
      if (runFor.background) await delivery.result(actor, run, runFor, last);
      deliver(last);
      this.#writing.delete(written);
      // A run that has begun since then still hears what this one did not.
      if (actor.run === run) delivery.forwardUnread(actor);
    });
    this.#writing.add(written);
  }

  /** The same for one that had answered before the program died, and holds nothing: its journal misses only the end. */
  endRestored(actor: Actor, answer: Summary): void {
    const { journal, emit, delivery } = this.#parts;
    const { run, runFor, id } = actor;
    const { summary } = this.#changesAtEnd(actor, answer, false);
    journal.note({ type: "summary", actor: id, run, summary, durationMs: 0 });
    actor.end(summary, actor.createdAt);
    emit({ type: "released", id, actor });
    actor.deliver(summary);
    const { owner, background } = runFor;
    if (background && owner !== null) delivery.resultAgain(actor, { run, owner, summary });
    if (id !== MAIN) actor.forget();
  }

  #changesAtEnd(actor: Actor, given: Summary, isIdle: boolean) {
    let summary = given;
    const saves: ((summary: Summary) => Promise<Summary>)[] = [];
    for (const feature of this.#parts.joints) {
      try {
        const changes = feature.onEnd?.({ actor, summary, isIdle });
        summary = changes?.summary ?? summary;
        if (changes?.save) saves.push(changes.save);
      } catch (error) {
        this.#warn(error);
      }
    }
    return { summary, saves };
  }

  /** What it had of the session is the session's again. */
  #release(actor: Actor, end: End, summary: Summary, isIdle: boolean): void {
    const { gateway, clock, emit, stopAwaited } = this.#parts;
    actor.end(summary, clock.now());
    actor.stopping.abort(ENDED);
    if (!isIdle) actor.life.abort(ENDED);
    emit({ type: "released", id: actor.id, actor });
    if (end.by === "runtime") gateway.disconnect(actor.id);
    stopAwaited(actor);
  }

  #warn(error: unknown): void {
    this.#parts.onWarning(errorMessage(error));
  }
}

/** A notice alone must not turn an answer into the report of an agent that ran out of turns; a message must be read. */
export function hasPendingInput({ inbox, mayTakeTurns }: Actor): boolean {
  return inbox.hasMessages || (inbox.hasInput && mayTakeTurns);
}
