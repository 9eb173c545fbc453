import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gitIn } from "../../../src/worktrees/git.ts";
import { seededBy } from "../../faults/seeded.ts";
import { groundOf } from "../../support/worktree-ground.ts";
import { type HistoricMerge, mergesIn, must } from "./merges-in.ts";
import { playMerge } from "./play-merge.ts";
import type { Played } from "./played.ts";

export interface ReplayReport {
  readonly merges: number;
  readonly clean: number;
  readonly conflicts: number;
  /** Conflicts that their owner settled as the history did. */
  readonly settled: number;
  readonly leftOut: Readonly<Record<string, number>>;
  readonly different: readonly { readonly commit: string; readonly what: readonly string[] }[];
}

export interface ReplayOptions {
  readonly max: number;
  readonly seed: number;
  /** After each merge. */
  onPlayed?(merge: HistoricMerge, played: Played): void;
}

/** Merges of the history of any repository, played in a clone of it that is gone afterwards. */
export async function replayMerges(
  repository: string,
  { max, seed, onPlayed }: ReplayOptions,
): Promise<ReplayReport> {
  const beside = realpathSync(mkdtempSync(join(tmpdir(), "troupe-replay-")));
  const checkout = join(beside, "clone");
  const home = join(beside, "home");
  mkdirSync(home);
  const env = {
    ...{ PATH: process.env["PATH"] ?? "", HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
    ...{ GIT_AUTHOR_NAME: "A Person", GIT_AUTHOR_EMAIL: "person@example.org" },
    ...{ GIT_COMMITTER_NAME: "A Person", GIT_COMMITTER_EMAIL: "person@example.org" },
  };
  try {
    await must(gitIn(beside, env), ["clone", "-q", "--no-checkout", realpathSync(repository), checkout]);
    const git = gitIn(checkout, env);
    const { merges, unsuited } = await mergesIn(git, max, seededBy(seed));
    const leftOut: Record<string, number> = { ...unsuited };
    const sums = { clean: 0, conflicts: 0, settled: 0 };
    const different: { commit: string; what: readonly string[] }[] = [];
    const stage = { ground: groundOf({ env }), git, checkout, beside };
    for (const [number, merge] of merges.entries()) {
      const played = await playMerge(stage, merge, number);
      onPlayed?.(merge, played);
      switch (played.type) {
        case "clean":
          sums.clean += 1;
          break;
        case "conflict":
          sums.conflicts += 1;
          sums.settled += played.settled ? 1 : 0;
          break;
        case "left out":
          leftOut[played.why] = (leftOut[played.why] ?? 0) + 1;
          break;
        case "different":
          different.push({ commit: merge.commit, what: played.what });
          break;
        default:
          played satisfies never;
      }
    }
    return { merges: merges.length, ...sums, leftOut, different };
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}
