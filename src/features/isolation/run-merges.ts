import type { SupervisorEvent } from "../../events/event.ts";
import { type Clock, within } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import { inTurn, type Queues } from "../../lib/queues.ts";
import { shorten } from "../../lib/text.ts";
import { type ActorId, callId } from "../../mailbox/ids.ts";
import type { Summary } from "../../mailbox/messages.ts";
import type { Isolation as Isolated } from "../../mailbox/worktree.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { FinishDecision } from "../../supervisor/joints.ts";
import type { Worktrees } from "../../worktrees/git-worker.ts";
import type { Owner } from "../../worktrees/protocol.ts";
import { type AcceptanceVerdicts, judgedSummary } from "../accept/index.ts";
import type { SessionAsks } from "../gate/asking.ts";
import type { HeldTree, HeldWorktrees } from "../writers/held-worktrees.ts";
import { conflictText, recheckBeforeWrite } from "./conflicts.ts";
import { type FinishedRun, MergeBack, type MergeBackOutcome } from "./merge-back.ts";
import type { TreeCommands } from "./tree-commands.ts";
import { resultBefore, unknownResult } from "./worktree-result.ts";
import type { WorktreeSettings } from "./worktree-settings.ts";

export interface RunMergesParts {
  readonly worktrees: Worktrees;
  readonly trees: HeldWorktrees;
  readonly settings: WorktreeSettings;
  readonly clock: Clock;
  readonly commands: TreeCommands;
  readonly verdicts: AcceptanceVerdicts;
  readonly asks: Pick<SessionAsks, "hasPerson" | "question">;
  ownerOf(actor: ActorId): Owner;
  /** Makes an actor's worktree, as before a start. */
  make(actor: Actor): Promise<string | null> | null;
  /** Recovers, once in a session, what crashed processes left. */
  sweep(checkout: string): Promise<void>;
  onWarning(message: string): void;
  onEvent(event: SupervisorEvent): void;
}

const INTENT_CHARS = 600;
/** Times an owner is asked to resolve a conflict; then the branch is kept. */
const RESOLUTIONS = 2;
/** Milliseconds an end waits until its edits are on their branch; they are in their worktree all the same. */
const KEEP_MS = 30_000;

/** The edits of a run that ends are merged, given back to its actor, or kept on their branch. */
export class RunMerges {
  readonly #parts: RunMergesParts;
  /**
   * Finished worktrees, one at a time for each checkout, in order (issue 6). One that cannot be merged makes way for the next;
   * the git worker's own lock keeps other processes out.
   */
  readonly #queue: Queues = new Map();
  readonly #back: MergeBack;
  readonly #resolutions = new Map<ActorId, number>();

  constructor(parts: RunMergesParts) {
    this.#parts = parts;
    const { worktrees, settings, commands, onWarning } = parts;
    this.#back = new MergeBack({
      ...{ worktrees, settings, onWarning },
      check: ({ actor, root, signal }, command, timeoutMs) =>
        commands.check(actor, root, { command, timeoutMs }, signal),
      ask: (finished, ...words) => this.#ask(finished, ...words),
    });
  }

  /** Called before a write if files are leased: see `recheckBeforeWrite`. */
  async lookAgain(
    { root, stopping }: Pick<Actor, "root" | "stopping">,
    files: readonly string[],
  ): Promise<string | null> {
    const { worktrees, trees, settings, onWarning } = this.#parts;
    const held = trees.at(root);
    if (!held || (settings.overlap !== "wait" && settings.overlap !== "refuse")) return null;
    const ports = { worktrees, trees, queue: this.#queue, onWarning };
    return recheckBeforeWrite(ports, held, files, stopping.signal);
  }

  /**
   * Finishes an actor that had answered when the program died, before its end was written: merges its edits if they
   * were not. Returns null if it continues, as in `mergeBack`. Never rejects.
   */
  async resume(actor: Actor, summary: Summary): Promise<FinishDecision> {
    const { isolation } = actor.spec;
    if (!isolation) return { summary };
    const unknown = (why: string) => ({
      summary: this.#unchecked(actor, { ...summary, worktree: unknownResult(isolation, null, why) }, why),
    });
    try {
      // What a crash interrupted is rolled back, and what was complete is recorded, before anything reads it.
      await this.#parts.sweep(isolation.checkout);
      const worktree = await resultBefore(this.#parts.worktrees, isolation);
      if (worktree !== null) {
        // It would not be merged if it had not been accepted.
        const accepted = actor.spec.accept && { acceptance: { verdict: "accepted" as const, checks: 1 } };
        return { summary: { ...summary, worktree, ...accepted } };
      }
      const failed = await this.#parts.make(actor);
      if (failed !== null) return unknown(failed);
    } catch (error) {
      return unknown(errorMessage(error));
    }
    // An actor that did not end well keeps them on its branch.
    const answered = summary.status === "done" || summary.status === "partial";
    return answered ? this.mergeBack(actor, summary) : { summary };
  }

  /**
   * Merges the edits of an actor that has answered, before its summary is delivered. Resolves with null if it
   * continues after a conflict, of which it got a notice.
   */
  async mergeBack(actor: Actor, summary: Summary): Promise<FinishDecision> {
    const { isolation } = actor.spec;
    const held = isolation && this.#parts.trees.at(isolation.path);
    if (!isolation || !held || held.owner !== actor.id) return { summary };
    const finished = this.#finished(actor, summary, held, isolation);
    this.#parts.onEvent({ type: "merge", actor: actor.id, state: "started" });
    let failure = "The merge did not finish.";
    const merge = async (leave: () => void) => {
      finished.signal.throwIfAborted();
      await held.settled;
      return this.#back.run({ ...finished, leave });
    };
    const back = await inTurn(this.#queue, isolation.checkout, merge).catch((error: Error) => {
      failure = error.message;
      if (!finished.signal.aborted) this.#parts.onWarning(failure);
      return null;
    });
    // Stopped since then: its end keeps them.
    if (back === null)
      return { summary: finished.signal.aborted ? summary : this.#unchecked(actor, summary, failure) };
    if (back.type === "rework") return { continueWith: back.text };
    if (back.type === "goes-back") {
      this.#resolutions.set(actor.id, (this.#resolutions.get(actor.id) ?? 0) + 1);
      const conflicts = back.conflicts.map(({ path }) => path);
      this.#parts.onEvent({ type: "merge", actor: actor.id, state: "conflict", conflicts });
      const earlier = this.#parts.trees.mergedInto(isolation.checkout);
      return {
        continueWith: conflictText(held.tree, back.conflicts, earlier, intentOf(summary.text)),
      };
    }
    const whole = withoutImplied(actor, this.#settled(finished, back, summary));
    return { summary: back.acceptance === undefined ? whole : judgedSummary(whole, back.acceptance) };
  }

  /** What could not be checked is not accepted. */
  #unchecked(actor: Actor, summary: Summary, why: string): Summary {
    const acceptance = this.#parts.verdicts.unchecked(actor, why);
    return acceptance === null ? summary : judgedSummary(summary, acceptance);
  }

  /** True if the run ended with edits that are neither merged nor kept. */
  holds(actor: Actor, summary: Summary): boolean {
    const { isolation } = actor.spec;
    if (!isolation || summary.worktree) return false;
    return this.#parts.trees.at(isolation.path)?.owner === actor.id;
  }

  /**
   * Keeps the edits of an actor that ended without a reply on their branch. Never rejects, and ends in bounded time.
   */
  async keep(actor: Actor, summary: Summary): Promise<Summary> {
    const { isolation } = actor.spec;
    const held = isolation && this.#parts.trees.at(isolation.path);
    if (!isolation || !held) return summary;
    const finished = this.#finished(actor, summary, held, isolation);
    const answered = summary.status === "done" || summary.status === "partial";
    const how = answered
      ? "It was stopped before its edits were merged."
      : `It ended ${summary.status}, so its edits were not merged.`;
    let whole: Summary | null = null;
    const kept = held.settled
      .then(() => this.#back.keep(finished, how))
      .then((back) => {
        if (back.type === "ends") whole = withoutImplied(actor, this.#settled(finished, back, summary));
      })
      .catch((error: Error) => this.#parts.onWarning(error.message));
    await within(this.#parts.clock, KEEP_MS, kept);
    return whole ?? { ...summary, worktree: unknownResult(isolation, finished.held.tree.base, "") };
  }

  #finished(actor: Actor, summary: Summary, held: HeldTree, isolation: Isolated): FinishedRun {
    const { verdicts } = this.#parts;
    const resolved = this.#resolutions.get(actor.id) ?? 0;
    return {
      ...{ actor: actor.id, owner: this.#parts.ownerOf(actor.id), held, isolation, root: actor.rootHere },
      title: actor.spec.description || actor.spec.type,
      text: summary.text,
      mayResolve: resolved < RESOLUTIONS && actor.mayTakeTurns,
      accept:
        actor.spec.accept === undefined
          ? null
          : {
              check: () => verdicts.of(actor, summary, actor.stopping.signal),
              unchecked: (why) => verdicts.unchecked(actor, why),
            },
      signal: actor.stopping.signal,
    };
  }

  #settled(
    { actor, held, title, text }: FinishedRun,
    { result, paths }: Extract<MergeBackOutcome, { type: "ends" }>,
    summary: Summary,
  ): Summary {
    this.#resolutions.delete(actor);
    if (result.outcome === "merged")
      this.#parts.trees.merged(held.tree, { title, paths, intent: intentOf(text) });
    // An actor whose branch is kept can be resumed: it then claims its worktree again.
    this.#parts.trees.letGo(held.tree);
    this.#parts.onEvent({ type: "merge", actor, state: "ended", result });
    return { ...summary, worktree: result };
  }

  async #ask(
    { actor, signal }: FinishedRun,
    question: string,
    yes: string,
    no: string,
  ): Promise<boolean | null> {
    const { asks } = this.#parts;
    if (!asks.hasPerson) return null;
    const choice = (label: string) => ({ label, description: "" });
    const options = [choice(yes), choice(no)];
    const questions = [{ question, header: "Worktree", options, multiSelect: false, yesOrNo: true as const }];
    const outcome = await asks.question(questions, { actor, call: callId(actor, 0, 0), signal });
    return outcome.type === "answers" ? outcome.answers[question] === yes : null;
  }
}

/** A runner gives a worktree also to agents that only read. That it has no edits is then no result. */
function withoutImplied({ spec: { isolation, tools } }: Actor, summary: Summary): Summary {
  const { worktree, ...rest } = summary;
  const reads = !tools.some(({ name }) => name === "Write" || name === "Edit");
  const says = worktree?.outcome !== "empty" || worktree.reason || worktree.notes?.length;
  return isolation?.away !== undefined && reads && !says ? rest : summary;
}

/** Returns the start of a report: what it was about. */
function intentOf(report: string): string {
  return shorten(report.trim(), INTENT_CHARS);
}
