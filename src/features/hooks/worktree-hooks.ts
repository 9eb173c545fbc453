import { ActorId, MAIN } from "../../mailbox/ids.ts";
import type { HookCaller } from "../../policy/hooks/results.ts";
import type { HookRunner } from "../../policy/hooks/runner.ts";
import { treePath } from "../../worktrees/layout.ts";
import type { GitRequest } from "../../worktrees/protocol.ts";

const NEVER = new AbortController().signal;

/** Runs the hooks of worktrees, in the checkout, before one is made and before one is removed. */
export function worktreeHooks(
  hooks: Pick<HookRunner, "worktreeCreate" | "worktreeRemove">,
  caller: (actor: ActorId, cwd: string) => HookCaller,
) {
  return {
    async creating({ folder, name, owner }: GitRequest<"create">, signal = NEVER): Promise<string | null> {
      const tree = { name, path: treePath(folder, name) };
      const why = await hooks.worktreeCreate(tree, caller(ActorId.parse(owner.actor), folder), signal);
      return why === null ? null : `No worktree is made: a hook said no. ${why}`;
    },
    async removing({ tree }: GitRequest<"remove">, signal = NEVER): Promise<void> {
      await hooks.worktreeRemove(tree.path, caller(MAIN, tree.checkout), signal);
    },
  };
}
