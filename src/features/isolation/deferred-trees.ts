import type { Worktree } from "../../mailbox/worktree.ts";
import type { Worktrees } from "../../worktrees/worktrees.ts";
import type { HeldWorktrees } from "../writers/held-worktrees.ts";

interface DeferredTreesPorts {
  readonly worktrees: Pick<Worktrees, "make">;
  readonly trees: Pick<HeldWorktrees, "at">;
  onWarning(message: string): void;
}

/** Worktrees here of agents on runners: each is made when its first edits arrive, or when something here works in it. */
export class DeferredTrees {
  readonly #ports: DeferredTreesPorts;
  readonly #paths = new Set<string>();

  constructor(ports: DeferredTreesPorts) {
    this.#ports = ports;
  }

  /** Notes that a worktree may not be made yet. */
  add({ path }: Worktree): void {
    this.#paths.add(path);
  }

  forget({ path }: Worktree): void {
    this.#paths.delete(path);
  }

  /** Makes the worktree that a directory is in. Returns null if there is nothing to wait for. Rejects with the reason. */
  need(directory: string): Promise<void> | null {
    const tree = this.#ports.trees.at(directory)?.tree;
    return tree && this.#paths.has(tree.path) ? this.#make(tree) : null;
  }

  async #make(tree: Worktree): Promise<void> {
    const made = await this.#ports.worktrees.make({ tree });
    if (made.type === "refused") throw new Error(made.reason);
    this.#paths.delete(tree.path);
    for (const note of made.notes) this.#ports.onWarning(`The worktree ${tree.name}: ${note}`);
  }
}
