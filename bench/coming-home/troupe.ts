import { MergeBack } from "../../src/features/isolation/merge-back.ts";
import { worktreeDefaults } from "../../src/features/isolation/worktree-settings.ts";
import type { HeldTree } from "../../src/features/writers/held-worktrees.ts";
import { processIdentity } from "../../src/journal/process-identity.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { ActorId } from "../../src/mailbox/ids.ts";
import type { WorktreeResult } from "../../src/mailbox/worktree.ts";
import { startGitWorker, type Worktrees } from "../../src/worktrees/git-worker.ts";
import type { Owner } from "../../src/worktrees/protocol.ts";
import type { Checkout, HomeAdapter, HomeOutcome, IsolatedCopy, NotStarted } from "./adapter.ts";

/**
 * Troupe as a session uses it: a git worker in its own process, and the merge at the end of an agent. The agent cannot
 * resolve a conflict, since there is no model, and no user can be asked.
 */
export class TroupeAdapter implements HomeAdapter {
  readonly name = "troupe";
  readonly #held = new Map<string, { readonly tree: HeldTree; readonly owner: Owner }>();
  #worktrees: Worktrees | null = null;

  async isolate({ dir, env, agent }: Checkout): Promise<IsolatedCopy | NotStarted> {
    this.#worktrees ??= startGitWorker({ env, clock: systemClock, onWarning: console.error });
    const owner = { session: "bench", actor: agent, process: processIdentity(process.pid) };
    const { baseRef } = worktreeDefaults;
    const request = { folder: dir, name: agent, owner, baseRef, dependencies: [] };
    const created = await this.#worktrees.create(request);
    if (created.type === "refused") return { type: "not started", why: created.reason };
    const { tree } = created;
    const actor = ActorId.parse(agent);
    const held = { tree, owner: actor, deleted: new Set<string>(), settled: Promise.resolve(), since: 0 };
    this.#held.set(tree.path, { tree: held, owner });
    return { dir: tree.path, base: tree.base, branch: tree.branch };
  }

  async bring({ dir, agent }: Checkout, copy: IsolatedCopy): Promise<HomeOutcome> {
    const found = this.#held.get(copy.dir);
    if (found === undefined || this.#worktrees === null) throw new Error(`No worktree is at ${copy.dir}.`);
    const { tree: held, owner } = found;
    const { tree } = held;
    const taken = await this.#worktrees.snapshot({ tree, files: null });
    if (taken.type === "refused") throw new Error(taken.reason);
    // As the snapshot after a call of the agent that says what it deletes.
    for (const { path, change } of taken.changed) if (change === "deleted") held.deleted.add(path);
    const mergeBack = new MergeBack({
      worktrees: this.#worktrees,
      settings: worktreeDefaults,
      check: async () => null,
      ask: async () => null,
      onWarning: console.error,
    });
    const { name, path, branch, head } = tree;
    const merge = worktreeDefaults.merge;
    const ended = await mergeBack.run({
      ...{ actor: held.owner, owner, held, root: path, title: agent, text: "", mayResolve: false },
      accept: null,
      isolation: { name, path, checkout: dir, branch, head, merge },
      signal: new AbortController().signal,
    });
    if (ended.type !== "ends") throw new Error("The conflict went back to an agent that cannot resolve it.");
    return outcomeOf(ended.result);
  }

  async close(): Promise<void> {
    await this.#worktrees?.close();
  }
}

/** What the report of the agent says about its edits. */
function outcomeOf({ outcome, branch, reason, conflicts = [] }: WorktreeResult): HomeOutcome {
  switch (outcome) {
    case "merged":
    case "empty":
      return { type: "home" };
    case "conflict":
    case "kept": {
      const named = conflicts.map(({ path, kind }) => `${path} (${kind})`);
      return { type: "kept", branch: branch ?? null, why: reason ?? `conflict in ${named.join(", ")}` };
    }
    default:
      return outcome satisfies never;
  }
}
