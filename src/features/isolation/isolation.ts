import { join, relative } from "node:path";
import type { SupervisorEvent } from "../../events/event.ts";
import type { SessionState } from "../../journal/session-state.ts";
import { type Clock, within } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import { shorten } from "../../lib/text.ts";
import { inTurn, type Queues } from "../../lib/turns.ts";
import { type ActorId, callId, type SessionId } from "../../mailbox/ids.ts";
import type { Summary } from "../../mailbox/messages.ts";
import {
  type Isolation as Isolated,
  type Location,
  type MergeMode,
  RUNNER_TREES,
  type Worktree,
} from "../../mailbox/worktree.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { FinishDecision } from "../../supervisor/joints.ts";
import { branchOf, treePath } from "../../worktrees/layout.ts";
import type { Owner } from "../../worktrees/protocol.ts";
import type { Worktrees } from "../../worktrees/worktrees.ts";
import { type AcceptanceVerdicts, judgedSummary } from "../accept/index.ts";
import type { Commands } from "../background/commands.ts";
import type { SessionAsks } from "../gate/asking.ts";
import type { HeldTree, HeldWorktrees } from "../writers/held-worktrees.ts";
import { conflictText } from "./conflict-text.ts";
import { type FinishedRun, MergeBack, type MergeBackOutcome } from "./merge-back.ts";
import { recheckBeforeWrite } from "./recheck.ts";
import { resultBefore, unknownResult } from "./result-before.ts";
import { TreeCommands } from "./tree-commands.ts";
import type { WorktreeSettings } from "./worktree-settings.ts";

export interface IsolationParts {
  readonly worktrees: Worktrees;
  readonly trees: HeldWorktrees;
  readonly actors: Pick<Actors, "move">;
  readonly settings: WorktreeSettings;
  readonly session: SessionId;
  /** This process: a sweep leaves the worktrees of running processes alone. */
  readonly process: Owner["process"];
  readonly clock: Clock;
  readonly commands: Commands;
  readonly verdicts: AcceptanceVerdicts;
  readonly asks: Pick<SessionAsks, "hasPerson" | "question">;
  /** Makes the worktree that a directory is in, if it waits for its first edits; null if there is nothing to wait for. */
  need(directory: string): Promise<void> | null;
  /** Returns what git would run in a directory without the user's trust, or null. */
  foreignGit(folder: string): string | null;
  onWarning(message: string): void;
  onEvent(event: SupervisorEvent): void;
}

const INTENT_CHARS = 600;
/** Times an owner is asked to resolve a conflict; then the branch is kept. */
const RESOLUTIONS = 2;
/** Milliseconds an end waits until its edits are on their branch; they are in their worktree all the same. */
export const KEEP_MS = 30_000;

/** Actors with their own worktrees: created before they start, saved while they work, merged when they end. */
export class WorktreeIsolation {
  readonly trees: HeldWorktrees;
  readonly need: IsolationParts["need"];
  readonly #parts: IsolationParts;
  /**
   * Finished worktrees, one at a time for each checkout, in order (issue 6). One that cannot be merged makes way for the next;
   * the git worker's own lock keeps other processes out.
   */
  readonly #queue: Queues = new Map();
  readonly #commands: TreeCommands;
  readonly #back: MergeBack;
  readonly #resolutions = new Map<ActorId, number>();
  #swept: Promise<void> | null = null;
  readonly #checkouts = new Set<string>();
  /** Checkouts in which a crash may have left something. */
  readonly #unswept = new Set<string>();

  constructor(parts: IsolationParts) {
    this.#parts = parts;
    const { worktrees, settings, onWarning } = parts;
    this.trees = parts.trees;
    this.need = parts.need;
    this.#commands = new TreeCommands(parts.commands, parts.clock);
    this.#back = new MergeBack({
      ...{ worktrees, settings, onWarning },
      check: ({ actor, root, signal }, command, timeoutMs) =>
        this.#commands.check(actor, root, { command, timeoutMs }, signal),
      ask: (finished, ...words) => this.#ask(finished, ...words),
    });
  }

  /** Returns the worktree for an actor's spec, based on where its caller works. Throws with a reason for the model. */
  async wanted(
    id: ActorId,
    from: string,
    merge: MergeMode = this.#parts.settings.merge,
    isAway = false,
  ): Promise<{ readonly isolation: Isolated; readonly root: string }> {
    const foreign = this.#parts.foreignGit(from);
    if (foreign !== null)
      throw new Error(
        `No worktree is created here: ${foreign}, and the user has not agreed to that. Call Agent again without isolation, or ask the user to trust this directory.`,
      );
    await this.need(from);
    const found = await this.#parts.worktrees.inspect({ folder: from, trees: false });
    if (found.type === "refused")
      throw new Error(
        isAway ? `An agent on a runner takes a git repository along. ${found.reason}` : found.reason,
      );
    await this.#sweep(from);
    const name = `agent-${id}`;
    const path = treePath(found.top, name);
    const away = isAway ? { away: join(RUNNER_TREES, this.#parts.session, name) } : {};
    return {
      isolation: {
        name,
        path,
        checkout: found.top,
        branch: branchOf(name),
        head: found.head,
        merge,
        ...away,
      },
      root: join(away.away ?? path, relative(found.top, from)),
    };
  }

  /**
   * Returns null if it can start immediately. Otherwise it can start when this resolves with null, not with a reason.
   */
  before(actor: Actor): Promise<string | null> | null {
    const wanted = actor.spec.isolation ?? actor.place?.tree;
    if (!wanted || this.trees.at(wanted.path)?.owner === actor.id) return null;
    return this.#make(actor, wanted).catch((error: Error) => error.message);
  }

  async #make(actor: Actor, { name, checkout }: Pick<Worktree, "name" | "checkout">): Promise<string | null> {
    this.#checkouts.add(checkout);
    const { worktrees, settings } = this.#parts;
    const { signal } = actor.stopping;
    const isAway = actor.spec.isolation?.away !== undefined;
    const request = {
      ...{ folder: checkout, name, owner: this.ownerOf(actor.id), baseRef: settings.baseRef },
      ...(isAway ? { travels: true as const, deferred: true as const } : {}),
      dependencies: Object.entries(settings.dependencies).map(([folder, how]) => ({ folder, how })),
    };
    const hasWorked = actor.run > 1 || actor.turnsTaken > 0;
    // A resumed actor, in this process or an earlier one, may have a worktree already.
    const again = hasWorked || actor.restored;
    // Before its creation: what is merged during it may be in it or not.
    const since = this.trees.merges;
    const begun = again ? null : await worktrees.create(request, signal);
    // If its creation was interrupted, some or all of it may exist.
    const claims = begun === null || (begun.type === "refused" && begun.died);
    const made = claims ? await worktrees.claim(request, signal) : begun;
    if (made.type === "refused") return made.reason;
    const asItIs = made.type === "claimed" && made.how === "as-it-is";
    const held = this.trees.hold(made.tree, actor.id, asItIs ? 0 : since);
    held.mayBeDeferred = isAway;
    for (const note of made.notes) this.#parts.onWarning(`The worktree of agent ${actor.id}: ${note}`);
    // A crash during a check left merged files in it, which are not edits of its owner.
    if (asItIs) {
      const settled = await worktrees.settle({ tree: made.tree });
      if (settled.type === "refused") return settled.reason;
    }
    // A crash may have interrupted its setup.
    if ((asItIs && hasWorked) || settings.setup === null || isAway) return null;
    return this.#commands.setUp(actor.id, actor.root, settings.setup, signal);
  }

  /** Called before a write if files are leased: see `recheckBeforeWrite`. */
  async lookAgain(
    { root, stopping }: Pick<Actor, "root" | "stopping">,
    files: readonly string[],
  ): Promise<string | null> {
    const { worktrees, settings, onWarning } = this.#parts;
    const held = this.trees.at(root);
    if (!held || (settings.overlap !== "wait" && settings.overlap !== "refuse")) return null;
    const ports = { worktrees, trees: this.trees, queue: this.#queue, onWarning };
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
      await this.#sweep(isolation.checkout);
      const worktree = await resultBefore(this.#parts.worktrees, isolation);
      if (worktree !== null) {
        // It would not be merged if it had not been accepted.
        const accepted = actor.spec.accept && { acceptance: { verdict: "accepted" as const, checks: 1 } };
        return { summary: { ...summary, worktree, ...accepted } };
      }
      const failed = await this.before(actor);
      if (failed !== null) return unknown(failed);
    } catch (error) {
      return unknown(errorMessage(error));
    }
    // An actor that did not end well keeps them on its branch.
    const answered = summary.status === "done" || summary.status === "partial";
    return answered ? this.mergeBack(actor, summary) : { summary };
  }

  /** Called when the main conversation enters or exits a worktree, whose edits are saved from now on. */
  moved(actor: Actor | undefined, to: Location): void {
    if (!actor) return;
    const from = actor.place?.tree;
    if (from) this.trees.letGo(from);
    if (to.tree) this.trees.hold(to.tree, actor.id);
    this.#parts.actors.move(actor.id, to);
  }

  /** Saves what a background command wrote. */
  commandEnded(owner: Actor | undefined): void {
    const held = owner && this.trees.at(owner.root);
    if (held) this.trees.wrote(held, { actor: owner.id, files: null, command: null });
  }

  ownerOf(actor: ActorId): Owner {
    return { session: this.#parts.session, actor, process: this.#parts.process };
  }

  /**
   * Merges the edits of an actor that has answered, before its summary is delivered. Resolves with null if it
   * continues after a conflict, of which it got a notice.
   */
  async mergeBack(actor: Actor, summary: Summary): Promise<FinishDecision> {
    const { isolation } = actor.spec;
    const held = isolation && this.trees.at(isolation.path);
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
      const earlier = this.trees.mergedInto(isolation.checkout);
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
    return this.trees.at(isolation.path)?.owner === actor.id;
  }

  /**
   * Keeps the edits of an actor that ended without a reply on their branch. Never rejects, and ends in bounded time.
   */
  async keep(actor: Actor, summary: Summary): Promise<Summary> {
    const { isolation } = actor.spec;
    const held = isolation && this.trees.at(isolation.path);
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
      ...{ actor: actor.id, owner: this.ownerOf(actor.id), held, isolation, root: actor.rootHere },
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
    if (result.outcome === "merged") this.trees.merged(held.tree, { title, paths, intent: intentOf(text) });
    // An actor whose branch is kept can be resumed: it then claims its worktree again.
    this.trees.letGo(held.tree);
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

  /** Recovers, once in a session, what crashed processes left, as far as it is saved. */
  #sweep(folder: string): Promise<void> {
    const { worktrees, session } = this.#parts;
    this.#swept ??= worktrees.sweep({ folder, except: session }).then((swept) => {
      if (swept.type === "refused") return;
      for (const merge of swept.rolledBack)
        this.#parts.onWarning(
          `A merge that was cut off (${merge}) was rolled back; the checkout has no part of it.`,
        );
    });
    return this.#swept;
  }

  /**
   * Notes that a process died in these checkouts (by default all of this session): its leftovers are swept at the
   * end.
   */
  diedIn(checkouts: Iterable<string> = this.#checkouts): void {
    for (const checkout of checkouts) this.#unswept.add(checkout);
  }

  /** Notes that a crashed session was resumed: its leftovers are swept at the end. */
  replayed({ actors }: SessionState): void {
    const all = [...actors.values()];
    if (all.some(({ summary }) => summary === null))
      this.diedIn(all.flatMap(({ spec }) => spec.isolation?.checkout ?? []));
  }

  async close(): Promise<void> {
    const { worktrees } = this.#parts;
    await Promise.allSettled([...this.#unswept].map((folder) => worktrees.sweep({ folder })));
    await worktrees.close();
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
