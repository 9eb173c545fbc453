import { existsSync } from "node:fs";
import type { Acceptance } from "../../mailbox/acceptance.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Conflict, Isolation, WorktreeResult } from "../../mailbox/worktree.ts";
import type { Worktrees } from "../../worktrees/git-worker.ts";
import type { AnswerOf, Counts, Owner } from "../../worktrees/protocol.ts";
import type { WorkVerdict } from "../accept/index.ts";
import type { HeldTree } from "../writers/held-worktrees.ts";
import { resultBefore } from "./worktree-result.ts";
import type { WorktreeSettings } from "./worktree-settings.ts";

/** Edits to merge, and their owner. */
export interface FinishedRun {
  readonly actor: ActorId;
  readonly owner: Owner;
  readonly held: HeldTree;
  readonly isolation: Isolation;
  /** The actor's root inside its worktree. */
  readonly root: string;
  readonly title: string;
  /** Its report. */
  readonly text: string;
  /** True if its owner can still be asked to resolve a conflict. */
  readonly mayResolve: boolean;
  /** What was stated of its work, or null. */
  readonly accept: {
    /** Looks at the files as they are in its worktree. */
    check(): Promise<WorkVerdict | null>;
    /** The verdict if nothing can be checked. */
    unchecked(why: string): Acceptance | null;
  } | null;
  readonly signal: AbortSignal;
  /** Lets the next one merge into the checkout. */
  readonly leave?: () => void;
}

/** The outcome: final, or returned to their owner, which finds the files as described here. */
export type MergeBackOutcome =
  | {
      readonly type: "ends";
      readonly result: WorktreeResult;
      readonly paths: readonly string[];
      readonly acceptance?: Acceptance;
    }
  | { readonly type: "goes-back"; readonly conflicts: readonly Conflict[] }
  /** Its work was rejected, and it can correct it. */
  | { readonly type: "rework"; readonly text: string };

export interface MergeBackPorts {
  readonly worktrees: Pick<
    Worktrees,
    "prepare" | "apply" | "settle" | "rebase" | "keep" | "remove" | "sweep" | "list"
  >;
  readonly settings: Pick<WorktreeSettings, "check" | "checkTimeoutMs">;
  /** Runs the user's check in this directory; resolves with null if it passes, else with the reason. */
  check(finished: FinishedRun, command: string, timeoutMs: number): Promise<string | null>;
  /** Asks the user; resolves with null if no user can be asked. */
  ask(finished: FinishedRun, question: string, yes: string, no: string): Promise<boolean | null>;
  onWarning(message: string): void;
}

/** `why`: of what is kept if it is the last try. */
type Again = { readonly type: "again"; readonly why: string };
type Checked =
  | {
      readonly type: "passed" | "failed";
      readonly reason: string | null;
      readonly acceptance: Acceptance | null;
    }
  | Extract<MergeBackOutcome, { type: "rework" }>;
type Clean = Extract<AnswerOf<"prepare">, { type: "clean" }>;

/** Times the check runs again because the checkout changed during it. */
const TRIES = 3;

/**
 * Merges one finished worktree, from its last snapshot to its end (issue 6, points 4 and 5), in its turn of the
 * queue.
 */
export class MergeBack {
  readonly #ports: MergeBackPorts;

  constructor(ports: MergeBackPorts) {
    this.#ports = ports;
  }

  async run(finished: FinishedRun): Promise<MergeBackOutcome> {
    const { isolation, accept } = finished;
    if (isolation.merge === "keep" && accept === null) return this.keep(finished, KEEP_ASKED);
    for (let attempt = 1; ; attempt += 1) {
      const step = await this.#once(finished);
      if (step.type === "again" && attempt < TRIES) continue;
      const back = step.type === "again" ? await this.keep(finished, step.why) : step;
      if (back.type !== "ends" || back.acceptance !== undefined || accept === null) return back;
      const acceptance = accept.unchecked(back.result.reason ?? "Its edits could not be merged.");
      return acceptance === null ? back : { ...back, acceptance };
    }
  }

  /** Keeps the edits on their branch, with the reason. */
  async keep(
    finished: FinishedRun,
    reason: string | null,
    conflicts?: readonly Conflict[],
  ): Promise<MergeBackOutcome> {
    const { tree } = finished.held;
    const kept = await this.#ports.worktrees.keep({ tree, message: messageOf(finished) });
    if (kept.type === "empty") return this.#removed(finished, "empty", NOTHING, {});
    const place = { branch: tree.branch, path: tree.path };
    const outcome = conflicts ? "conflict" : "kept";
    const more = {
      ...(conflicts ? { conflicts: [...conflicts] } : {}),
      ...(reason === null ? {} : { reason }),
    };
    if (kept.type === "refused") {
      // They are in the worktree and in its snapshots all the same.
      const why = reason === kept.reason ? [] : [reason, "They could not be put on their branch:"];
      const said = { reason: [...why, kept.reason].filter((one) => one !== null).join(" ") };
      // The directory may have been removed: then they are in its snapshots alone.
      const stands = existsSync(tree.path) ? place : {};
      return ends({ outcome, ...NOTHING, ...baseOf(finished), ...stands, ...more, ...said });
    }
    const { type: _, commit: __, notes, ...counts } = kept;
    return ends({ outcome, ...counts, ...baseOf(finished), ...place, ...more, ...noted(notes) });
  }

  async #once(finished: FinishedRun): Promise<MergeBackOutcome | Again> {
    const { worktrees, settings } = this.#ports;
    const { held, signal } = finished;
    const emptyToo = finished.accept !== null;
    const forCheck = settings.check !== null || emptyToo;
    const deleted = [...held.deleted];
    const prepared = await worktrees.prepare({ tree: held.tree, deleted, forCheck, emptyToo }, signal);
    switch (prepared.type) {
      case "empty": {
        const checked = await this.#shown(finished, () => this.#accepted(finished));
        if (checked.type === "rework") return checked;
        return judged(await this.#removed(finished, "empty", NOTHING, noted(prepared.notes)), checked);
      }
      case "refused":
        return this.keep(finished, prepared.reason);
      case "conflict":
        return this.#conflict(finished, prepared.conflicts);
      case "clean":
        return this.#clean(finished, prepared);
      default:
        return prepared satisfies never;
    }
  }

  async #clean(finished: FinishedRun, prepared: Clean): Promise<MergeBackOutcome | Again> {
    const checked = await this.#checked(finished);
    if (checked.type === "rework") return checked;
    if (checked.type === "failed") return judged(await this.keep(finished, checked.reason), checked);
    if (finished.isolation.merge === "keep") return judged(await this.keep(finished, KEEP_ASKED), checked);
    const hold = await this.#heldBack(finished, prepared.strange);
    const refused = await this.#refusedByPerson(finished, prepared);
    if (refused !== null) return judged(await this.keep(finished, refused), checked);
    return judged(await this.#applied(finished, prepared, hold), checked);
  }

  /** Checks the merged files before they reach the checkout: what holds for all, then what was stated of this work. */
  async #checked(finished: FinishedRun): Promise<Checked> {
    const { settings } = this.#ports;
    const { check, checkTimeoutMs } = settings;
    if (check === null && finished.accept === null) return PASSED;
    return this.#shown(finished, async () => {
      const failed = check === null ? null : await this.#ports.check(finished, check, checkTimeoutMs);
      return failed === null ? this.#accepted(finished) : { ...PASSED, type: "failed", reason: failed };
    });
  }

  /** Whatever a check has done, the worktree is then as its agent left it. */
  async #shown(finished: FinishedRun, look: () => Promise<Checked>): Promise<Checked> {
    try {
      return await look();
    } finally {
      const settled = await this.#ports.worktrees.settle({ tree: finished.held.tree });
      if (settled.type === "refused") this.#ports.onWarning(settled.reason);
    }
  }

  async #accepted({ accept }: FinishedRun): Promise<Checked> {
    const verdict = await accept?.check();
    if (!verdict) return PASSED;
    if (verdict.type === "rework") return verdict;
    const { acceptance, type } = verdict;
    if (type === "accepted") return { ...PASSED, acceptance };
    return { type: "failed", reason: "Its work was rejected.", acceptance };
  }

  /** Asks about deletions that no call of the agent made: they are merged only if the user agrees. */
  async #heldBack(finished: FinishedRun, strange: readonly string[]): Promise<readonly string[]> {
    if (strange.length === 0) return [];
    const names = strange.length > 5 ? [...strange.slice(0, 5), `${strange.length - 5} more`] : strange;
    const question = `${finished.title}: its worktree lacks files that none of its calls deleted (${names.join(", ")}). Delete them in your checkout too?`;
    const yes = await this.#ports.ask(finished, question, "Delete them", "Keep them");
    return yes === true ? [] : strange;
  }

  async #refusedByPerson(
    finished: FinishedRun,
    { files, insertions, deletions }: Clean,
  ): Promise<string | null> {
    if (finished.isolation.merge !== "ask") return null;
    const question = `${finished.title}: bring its edits (${files} ${files === 1 ? "file" : "files"}, +${insertions} -${deletions}) into ${finished.isolation.checkout}?`;
    const yes = await this.#ports.ask(finished, question, "Bring them back", "Keep them on their branch");
    if (yes === true) return null;
    return yes === null
      ? "No user could be asked, so its edits stay on their branch."
      : "The user wants its edits to stay on their branch.";
  }

  async #applied(
    finished: FinishedRun,
    prepared: Clean,
    hold: readonly string[],
  ): Promise<MergeBackOutcome | Again> {
    const { worktrees, settings } = this.#ports;
    const { held, isolation, owner, title } = finished;
    const applied = await worktrees.apply({
      tree: held.tree,
      // What was checked must be what is written; without a check the newest state of the checkout will do.
      expects: settings.check === null && finished.accept === null ? null : prepared.checkout,
      hold: [...hold],
      commit: isolation.merge === "commit" ? messageOf(finished) : null,
      ...{ owner, title },
    });
    switch (applied.type) {
      case "moved":
        return { type: "again", why: "The checkout changed each time while its edits were merged." };
      case "conflict":
        return this.#conflict(finished, applied.conflicts);
      case "refused":
        return applied.died ? this.#afterDeath(finished, prepared) : this.keep(finished, applied.reason);
      case "merged": {
        const { files, insertions, deletions, merge, commit, notes } = applied;
        const more = {
          ...{ merge, ...noted(notes) },
          ...(commit === null ? {} : { commit }),
          ...(hold.length === 0 ? {} : { held: [...hold] }),
        };
        const counts = { files, insertions, deletions };
        return this.#removed(finished, "merged", counts, more, prepared.paths);
      }
      default:
        return applied satisfies never;
    }
  }

  /** Recovers from a crash of the writer: all of it is there, or it is rolled back and merged again. */
  async #afterDeath(finished: FinishedRun, { paths }: Clean): Promise<MergeBackOutcome | Again> {
    const { worktrees } = this.#ports;
    const { isolation } = finished;
    await worktrees.sweep({ folder: isolation.checkout });
    const before = await resultBefore(worktrees, isolation);
    if (before === null)
      return { type: "again", why: "The git worker died each time while it merged its edits." };
    const { files, insertions, deletions, merge } = before;
    const more = merge === undefined ? {} : { merge };
    return this.#removed(finished, "merged", { files, insertions, deletions }, more, paths);
  }

  async #conflict(finished: FinishedRun, conflicts: readonly Conflict[]): Promise<MergeBackOutcome> {
    const open = conflicts.every(({ kind }) => kind === "unresolved");
    if (!finished.mayResolve)
      return this.keep(finished, open ? "The conflict markers are still there." : null, conflicts);
    // It left markers with both sides: it is asked again, for the same positions.
    if (open) return { type: "goes-back", conflicts };
    const rebased = await this.#ports.worktrees.rebase({ tree: finished.held.tree });
    if (rebased.type === "refused") return this.keep(finished, rebased.reason, conflicts);
    finished.held.tree = rebased.tree;
    // The owner cannot resolve it (for example an untracked file in the way), or it has resolved itself by now.
    return rebased.conflicts.length === 0
      ? this.run({ ...finished, mayResolve: false })
      : { type: "goes-back", conflicts: rebased.conflicts };
  }

  /** Removes the worktree and its branch, as all of it is merged; keeps its snapshots. */
  async #removed(
    finished: FinishedRun,
    outcome: "merged" | "empty",
    counts: Counts,
    more: Partial<WorktreeResult>,
    paths: readonly string[] = [],
  ): Promise<MergeBackOutcome> {
    const { tree } = finished.held;
    finished.leave?.();
    const removed = await this.#ports.worktrees.remove({ tree });
    const left =
      removed.type === "done"
        ? {}
        : { path: tree.path, branch: tree.branch, notes: [...(more.notes ?? []), removed.reason] };
    return ends({ outcome, ...counts, ...baseOf(finished), ...more, ...left }, paths);
  }
}

const KEEP_ASKED = "That was asked for (merge: keep).";
const PASSED = { type: "passed", reason: null, acceptance: null } as const;

/** What ends has the verdict on it, unless it must be checked again. */
function judged<T extends MergeBackOutcome | Again>(
  back: T,
  { acceptance }: Exclude<Checked, { type: "rework" }>,
): T {
  return back.type === "ends" && back.result.outcome !== "conflict" && acceptance !== null
    ? { ...back, acceptance }
    : back;
}

const NOTHING: Counts = { files: 0, insertions: 0, deletions: 0 };

function ends(result: WorktreeResult, paths: readonly string[] = []): MergeBackOutcome {
  return { type: "ends", result, paths };
}

function baseOf({ held: { tree } }: FinishedRun): Pick<WorktreeResult, "base" | "head"> {
  return { base: tree.base, head: tree.head };
}

function noted(notes: readonly string[]): Pick<WorktreeResult, "notes"> {
  return notes.length === 0 ? {} : { notes: [...notes] };
}

/** Formats the commit message: the title and the report. */
function messageOf({ title, text, actor }: FinishedRun): string {
  const report = text.trim();
  return [title, ...(report === "" ? [] : [report]), `Agent: ${actor}`].join("\n\n");
}
