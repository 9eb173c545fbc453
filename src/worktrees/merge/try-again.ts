import type { Repository } from "../environment.ts";
import { GC_TRIES } from "../gc-guard.ts";
import { refused } from "../repository.ts";
import type { ApplyAnswer, ApplyRequest } from "../requests.ts";
import type { Left } from "./revert-exchange.ts";
import { leftOver } from "./roll-back.ts";

export const GC_TOOK = "git gc took away what was being merged; try again.";

/** An editor may save each file of a project in turn; one that saves without a pause is not waited for. */
const TRIES = 4;

/** Somebody wrote to this file, committed or staged since it was looked at. All was taken back, except for what is left. */
export interface Changed {
  readonly type: "changed";
  readonly path: string;
  readonly left: readonly Left[];
}

/** Looks, merges and writes again if an editor or `git gc` was in between: nothing is written yet then. */
export async function applyInSpiteOfOthers(
  { top }: Repository,
  { tree }: ApplyRequest,
  apply: () => Promise<ApplyAnswer | Changed>,
): Promise<ApplyAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await apply();
    if (answer.type === "changed") {
      if (attempt < TRIES && answer.left.length === 0) continue;
      const reason = `Nothing was brought into ${top}: ${answer.path} was changed there while the edits were written (${attempt === 1 ? "1 try" : `${attempt} tries`}). When nothing writes to it, troupe worktrees merge ${tree.name} brings them in.`;
      return refused([reason, ...answer.left.map(leftOver)].join(" "));
    }
    if (answer.type !== "refused" || answer.reason !== GC_TOOK || attempt >= GC_TRIES) return answer;
  }
}
