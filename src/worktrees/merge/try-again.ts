import { setTimeout as pause } from "node:timers/promises";
import type { GitEnvironment, Repository } from "../environment.ts";
import { refused } from "../repository.ts";
import type { ApplyAnswer, ApplyRequest } from "../requests.ts";
import type { Left } from "./revert-exchange.ts";
import { leftOver } from "./roll-back.ts";

export const GC_TOOK = "git gc took away what was being merged; try again.";

/** An editor may save each file of a project in turn; one that saves without a pause is not waited for any longer. */
const RACE_MS = 10_000;
/** On a machine where each takes seconds. */
const LEAST_TRIES = 4;
const FIRST_PAUSE_MS = 20;
const MOST_PAUSE_MS = 500;

/** Somebody did this since it was looked at, or `git gc` did. All was taken back, except for what is left. */
export interface Changed {
  readonly type: "changed";
  /** As "a.txt was changed". */
  readonly what: string;
  readonly left: readonly Left[];
}

/** Looks, merges and writes again, after pauses that grow, if an editor or `git gc` was in between. */
export async function applyInSpiteOfOthers(
  { top }: Repository,
  { tree }: ApplyRequest,
  ground: GitEnvironment,
  apply: () => Promise<ApplyAnswer | Changed>,
): Promise<ApplyAnswer> {
  const began = ground.now();
  for (let tries = 1; ; tries += 1) {
    const answer = await apply();
    if (answer.type !== "changed" && !(answer.type === "refused" && answer.reason === GC_TOOK)) return answer;
    const left = answer.type === "changed" ? answer.left : [];
    const ms = ground.now() - began;
    if (left.length > 0 || (tries >= LEAST_TRIES && ms >= RACE_MS)) {
      if (answer.type === "refused") return answer;
      const often = tries === 1 ? "1 try" : `${tries} tries in ${Math.round(ms / 1_000)} s`;
      const reason = `Nothing was brought into ${top}: ${answer.what} there while the edits were written (${often}). The edits stay on their branch; troupe worktrees merge ${tree.name} tries again.`;
      return refused([reason, ...left.map(leftOver)].join(" "));
    }
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), MOST_PAUSE_MS));
  }
}
