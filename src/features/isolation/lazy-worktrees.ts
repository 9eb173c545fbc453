import type { KeeperOptions } from "../../worktrees/git-worker.ts";
import type { Worktrees } from "../../worktrees/worktrees.ts";

export interface LazyWorktrees extends Worktrees {
  /** Registers a callback for the death of the git worker. */
  onDied(call: () => void): void;
}

/** Returns a git worker that is loaded with the first request: most sessions need none. */
export function lazyWorktrees(given: Omit<KeeperOptions, "onDied">): LazyWorktrees {
  const listeners: (() => void)[] = [];
  const options = {
    ...given,
    onDied() {
      for (const call of listeners) call();
    },
  };
  let loaded: Promise<Worktrees> | null = null;
  const keeper = () => {
    loaded ??= import("../../worktrees/git-worker.ts").then(({ startGitWorker }) => startGitWorker(options));
    return loaded;
  };
  return {
    onDied: (call) => void listeners.push(call),
    inspect: async (request) => (await keeper()).inspect(request),
    everTracked: async (request, signal) => (await keeper()).everTracked(request, signal),
    create: async (request, signal) => (await keeper()).create(request, signal),
    claim: async (request, signal) => (await keeper()).claim(request, signal),
    snapshot: async (request) => (await keeper()).snapshot(request),
    overlap: async (request) => (await keeper()).overlap(request),
    prepare: async (request, signal) => (await keeper()).prepare(request, signal),
    apply: async (request) => (await keeper()).apply(request),
    settle: async (request) => (await keeper()).settle(request),
    rebase: async (request) => (await keeper()).rebase(request),
    keep: async (request) => (await keeper()).keep(request),
    remove: async (request) => (await keeper()).remove(request),
    list: async (request) => (await keeper()).list(request),
    diff: async (request) => (await keeper()).diff(request),
    restore: async (request) => (await keeper()).restore(request),
    removeNamed: async (request) => (await keeper()).removeNamed(request),
    mergeNamed: async (request, signal) => (await keeper()).mergeNamed(request, signal),
    undo: async (request) => (await keeper()).undo(request),
    sweep: async (request) => (await keeper()).sweep(request),
    close: async () => {
      if (loaded !== null) await (await loaded).close();
    },
  };
}
