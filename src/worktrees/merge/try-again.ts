import { setTimeout as pause } from "node:timers/promises";
import type { Worktree } from "../../mailbox/worktree.ts";
import type { GitEnvironment } from "../environment.ts";
import type { SuccessOf } from "../protocol.ts";
import { refuseRequest, retryAfterGc } from "../refusal.ts";
import type { LeftInPlace } from "./revert-exchange.ts";
import { leftOver } from "./roll-back.ts";

/** An editor may save each file of a project in turn; one that saves without a pause is not awaited any longer. */
const RACE_MS = 10_000;
/** For a machine where each try takes seconds. */
const LEAST_TRIES = 4;
const FIRST_PAUSE_MS = 20;
const MOST_PAUSE_MS = 500;

/** The user changed this since it was read. Everything was rolled back, except for what is in `left`. */
export interface ChangedMeanwhile {
  readonly type: "changed";
  /** As in "a.txt was changed". */
  readonly what: string;
  readonly left: readonly LeftInPlace[];
}

/** Reads, merges and writes again, after growing pauses, if an editor or `git gc` interfered. */
export async function applyInSpiteOfOthers(
  common: string,
  { checkout, name }: Worktree,
  ground: GitEnvironment,
  apply: () => Promise<SuccessOf<"apply"> | ChangedMeanwhile>,
): Promise<SuccessOf<"apply">> {
  const began = ground.now();
  for (let tries = 1; ; tries += 1) {
    const answer = await retryAfterGc(common, ground, apply);
    if (answer.type !== "changed") return answer;
    const ms = ground.now() - began;
    if (answer.left.length > 0 || (tries >= LEAST_TRIES && ms >= RACE_MS)) {
      const often = tries === 1 ? "1 try" : `${tries} tries in ${Math.round(ms / 1_000)} s`;
      const reason = `Nothing was brought into ${checkout}: ${answer.what} there while the edits were written (${often}). The edits stay on their branch; troupe worktrees merge ${name} tries again.`;
      return refuseRequest([reason, ...answer.left.map(leftOver)].join(" "));
    }
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), MOST_PAUSE_MS));
  }
}
