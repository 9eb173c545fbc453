import type { SupervisorEvent } from "../../events/event.ts";
import { processIdentity } from "../../journal/process-identity.ts";
import type { Clock } from "../../lib/clock.ts";
import { textAt } from "../../lib/json.ts";
import type { SessionId } from "../../mailbox/ids.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Joints } from "../../supervisor/joints.ts";
import type { GitWorkerOptions, Worktrees } from "../../worktrees/git-worker.ts";
import type { AnswerOf, GitRequest, OperationName } from "../../worktrees/protocol.ts";
import type { AcceptanceVerdicts } from "../accept/index.ts";
import type { Commands } from "../background/commands.ts";
import type { SessionAsks } from "../gate/asking.ts";
import { type HeldTree, HeldWorktrees } from "../writers/held-worktrees.ts";
import { WorktreeIsolation } from "./isolation.ts";
import type { WorktreeSettings } from "./worktree-settings.ts";

/** The process that runs git, and the worktrees of this session's actors. */
export interface Trees {
  readonly worktrees: LazyWorktrees;
  readonly trees: HeldWorktrees;
  /** Makes the worktree that a directory is in, if it waits for its first edits; null if there is nothing to wait for. */
  need(directory: string): Promise<void> | null;
}

/** Has a say before a worktree is made or removed. */
export interface WorktreeWatch {
  /** Resolves with why it must not be made, or null. */
  creating(request: GitRequest<"create">, signal?: AbortSignal): Promise<string | null>;
  removing(request: GitRequest<"remove">, signal?: AbortSignal): Promise<void>;
  /** True if something looks at each worktree before it is removed, so that it must exist. */
  seesRemovals(): boolean;
}

/** Starts nothing: the git worker starts with the first worktree. */
export function openTrees(clock: Clock, onWarning: (message: string) => void, watch: WorktreeWatch): Trees {
  const worktrees = lazyWorktrees({ env: process.env, clock, onWarning }, watch);
  const trees = new HeldWorktrees({ worktrees, onWarning });
  const make = async (held: HeldTree) => {
    const made = await worktrees.make({ tree: held.tree });
    if (made.type === "refused") throw new Error(made.reason);
    held.mayBeDeferred = false;
    for (const note of made.notes) onWarning(`The worktree ${held.tree.name}: ${note}`);
  };
  const need = (directory: string) => {
    const held = trees.at(directory);
    return held?.mayBeDeferred ? make(held) : null;
  };
  return { worktrees, trees, need };
}

export interface OpenIsolationParts extends Trees {
  readonly settings: WorktreeSettings;
  readonly session: SessionId;
  readonly clock: Clock;
  readonly commands: Commands;
  readonly verdicts: AcceptanceVerdicts;
  readonly asks: SessionAsks;
  readonly actors: Pick<Actors, "move">;
  foreignGit(directory: string): string | null;
  onWarning(message: string): void;
  onEvent(event: SupervisorEvent): void;
}

export function openIsolation(parts: OpenIsolationParts): WorktreeIsolation {
  const isolation = new WorktreeIsolation({ ...parts, process: processIdentity(process.pid) });
  parts.worktrees.onDied(() => isolation.diedIn());
  return isolation;
}

/**
 * Agents with their own worktrees. Joints: `prepareSpawn` (its location), `prepareStart` (creates it), `prepareCall`
 * and `afterCall` (a snapshot after each call that may have written), `beforeFinish` (the merge), `onEnd` (edits that
 * are not merged are kept), `onEvent`.
 */
export function isolationFeature(isolation: WorktreeIsolation): Joints {
  const { trees, merges } = isolation;
  const treeOf = (actor: Actor) => trees.at(actor.root);
  return {
    prepareSpawn: ({ id, isolation: wanted, from, merge, isAway }) =>
      wanted === "worktree" || isAway
        ? isolation.wanted(id, from, merge, isAway)
        : // It works in the worktree of its caller.
          (isolation.need(from)?.then(() => ({})) ?? null),
    prepareStart(actor) {
      const ready = isolation.before(actor);
      return ready && { tool: "Worktree", title: "its worktree is being made", ready };
    },
    async prepareCall({ actor, running: { writes, local } }) {
      if (writes?.length === 0) return {};
      const refusal = local && writes !== null ? await merges.lookAgain(actor, writes) : null;
      if (refusal !== null) return { refusal };
      // Earlier edits are saved before a call overwrites them.
      await treeOf(actor)?.settled;
      return {};
    },
    afterCall({ actor, running: { writes, tool, input } }) {
      const held = treeOf(actor);
      // The snapshot records what was written, by commands too.
      if (held !== null && writes?.length !== 0)
        trees.wrote(held, {
          actor: actor.id,
          files: writes,
          command: tool === "Bash" ? textAt(input, "command") : null,
        });
      return {};
    },
    beforeFinish: ({ actor, summary, isRestored }) =>
      isRestored ? merges.resume(actor, summary) : merges.mergeBack(actor, summary),
    onEnd: ({ actor, summary }) =>
      merges.holds(actor, summary) ? { save: (last) => merges.keep(actor, last) } : {},
    onEvent(event) {
      if (event.type === "replayed") isolation.replayed(event.state);
    },
  };
}

interface LazyWorktrees extends Worktrees {
  /** Registers a callback for the death of the git worker. */
  onDied(call: () => void): void;
}

/** Returns a git worker that is loaded with the first request: most sessions need none. */
function lazyWorktrees(given: Omit<GitWorkerOptions, "onDied">, watch: WorktreeWatch): LazyWorktrees {
  const listeners: (() => void)[] = [];
  const onDied = () => {
    for (const call of listeners) call();
  };
  let loaded: Promise<Worktrees> | null = null;
  const load = () => {
    loaded ??= import("../../worktrees/git-worker.ts").then(({ startGitWorker }) =>
      startGitWorker({ ...given, onDied }),
    );
    return loaded;
  };
  const own = {
    onDied: (call: () => void) => void listeners.push(call),
    close: async () => (await loaded)?.close(),
    async create(request: GitRequest<"create">, signal?: AbortSignal): Promise<AnswerOf<"create">> {
      const reason = await watch.creating(request, signal);
      if (reason !== null) return { type: "refused", reason };
      return (await load()).create(request, signal);
    },
    async remove(request: GitRequest<"remove">, signal?: AbortSignal): Promise<AnswerOf<"remove">> {
      // If it cannot be made, the hook reads that it does not exist.
      if (watch.seesRemovals()) await (await load()).make(request, signal);
      await watch.removing(request, signal);
      return (await load()).remove(request, signal);
    },
  };
  const operation = (name: OperationName) => async (request: never, signal?: AbortSignal) =>
    (await load())[name](request, signal);
  return new Proxy(own, {
    get: (_, name) => Reflect.get(own, name) ?? operation(name as OperationName),
  }) as unknown as LazyWorktrees;
}
