import { join, relative } from "node:path";
import type { SessionState } from "../../journal/session-state.ts";
import type { ActorId, SessionId } from "../../mailbox/ids.ts";
import {
  type Isolation as Isolated,
  type Location,
  type MergeMode,
  RUNNER_TREES,
  type Worktree,
} from "../../mailbox/worktree.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Actors } from "../../supervisor/actors.ts";
import { branchOf, treePath } from "../../worktrees/layout.ts";
import type { Owner } from "../../worktrees/protocol.ts";
import type { Commands } from "../background/commands.ts";
import type { HeldWorktrees } from "../writers/held-worktrees.ts";
import { RunMerges, type RunMergesParts } from "./run-merges.ts";
import { TreeCommands } from "./tree-commands.ts";

export interface IsolationParts extends Omit<RunMergesParts, "commands" | "ownerOf" | "make" | "sweep"> {
  readonly actors: Pick<Actors, "move">;
  readonly session: SessionId;
  /** This process: a sweep leaves the worktrees of running processes alone. */
  readonly process: Owner["process"];
  readonly commands: Commands;
  /** Makes the worktree that a directory is in, if it waits for its first edits; null if there is nothing to wait for. */
  need(directory: string): Promise<void> | null;
  /** Returns what git would run in a directory without the user's trust, or null. */
  foreignGit(folder: string): string | null;
}

/** The worktrees of a session's actors: made before they start, saved while they work, swept after a crash. */
export class WorktreeIsolation {
  readonly trees: HeldWorktrees;
  readonly need: IsolationParts["need"];
  readonly #parts: IsolationParts;
  readonly #commands: TreeCommands;
  /** What is done with their edits when a run ends. */
  readonly merges: RunMerges;
  #swept: Promise<void> | null = null;
  readonly #checkouts = new Set<string>();
  /** Checkouts in which a crash may have left something. */
  readonly #unswept = new Set<string>();

  constructor(parts: IsolationParts) {
    this.#parts = parts;
    this.trees = parts.trees;
    this.need = parts.need;
    this.#commands = new TreeCommands(parts.commands, parts.clock);
    this.merges = new RunMerges({
      ...{ ...parts, commands: this.#commands },
      ownerOf: (actor) => this.ownerOf(actor),
      make: (actor) => this.before(actor),
      sweep: (checkout) => this.#sweep(checkout),
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
