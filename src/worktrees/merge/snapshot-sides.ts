import type { Worktree } from "../../mailbox/worktree.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { GC_TRIES, gcHasEnded, isConnected } from "../gc-guard.ts";
import { isRefused } from "../repository.ts";
import type { Refused } from "../requests.ts";
import { bothSides } from "./agent-snapshot.ts";
import { type Candidate, candidateOf, type Sides } from "./candidate.ts";

export interface Look {
  readonly tree: Worktree;
  /** What was checked is to be merged, not what may have been written since. */
  readonly checked: boolean;
  readonly hold: readonly string[];
}

/** Both sides as they are now, and what they come to together. */
export async function snapshotSides(
  repo: Repository,
  { tree, checked, hold }: Look,
  ground: GitEnvironment,
  signal?: AbortSignal,
): Promise<{ readonly type: "both"; readonly sides: Sides; readonly candidate: Candidate } | Refused> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await bothSides(repo, tree, checked, ground);
    if (isRefused(found)) return found;
    const sides = { ...found, tree, hold };
    const candidate = await candidateOf(repo, sides, ground, signal);
    if (!isRefused(candidate)) return { type: "both", sides, candidate };
    if (attempt === GC_TRIES || !(await gcTook(repo, sides, ground))) return candidate;
  }
}

/** It may have taken a commit that was only known in between. */
async function gcTook(
  { git, common }: Repository,
  { checkout, tree }: Sides,
  ground: GitEnvironment,
): Promise<boolean> {
  return (await gcHasEnded(common, ground)) || !(await isConnected(git.run, checkout.commit, tree.base));
}
