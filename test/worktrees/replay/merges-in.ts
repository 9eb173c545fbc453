import { type Git, type GitOptions, parts } from "../../../src/worktrees/git.ts";
import type { Seeded } from "../../faults/seeded.ts";

/** A merge of two parents that have one merge base, each of which changed something since. */
export interface HistoricMerge {
  readonly commit: string;
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

export interface MergesFound {
  readonly merges: readonly HistoricMerge[];
  /** Merge commits that were looked at and cannot be played, and why. */
  readonly unsuited: Readonly<Record<string, number>>;
}

/** At most `max` merges of a repository, drawn at random from all of them. */
export async function mergesIn(git: Git, max: number, random: Seeded): Promise<MergesFound> {
  const listed = await must(git, ["rev-list", "--all", "--merges", "--parents"]);
  const all = shuffled(listed.split("\n").filter(Boolean), random);
  const merges: HistoricMerge[] = [];
  const unsuited: Record<string, number> = {};
  for (const line of all) {
    if (merges.length === max) break;
    const found = await suited(git, line.split(" "));
    if (typeof found !== "string") merges.push(found);
    else unsuited[found] = (unsuited[found] ?? 0) + 1;
  }
  return { merges, unsuited };
}

/** One merge by its commit, or why it cannot be played. */
export async function readMerge(git: Git, commit: string): Promise<HistoricMerge | string> {
  const { code, out } = await git.run(["rev-list", "--no-walk", "--parents", commit]);
  return code === 0 ? suited(git, out.trim().split(" ")) : "there is no such commit";
}

async function suited(
  git: Git,
  [commit = "", ...parents]: readonly string[],
): Promise<HistoricMerge | string> {
  const [ours = "", theirs = "", ...more] = parents;
  if (more.length > 0) return "more than two parents";
  const { out } = await git.run(["merge-base", "--all", ours, theirs]);
  const [base, ...others] = out.split("\n").filter(Boolean);
  if (base === undefined) return "no merge base";
  if (others.length > 0) return "several merge bases";
  // Nothing to merge: `git merge --no-ff`.
  if (base === ours || base === theirs) return "one side only";
  const isGitlinkChanged = await changesGitlink(git, base, ours, theirs);
  return isGitlinkChanged ? "a submodule changes" : { commit, base, ours, theirs };
}

/** An agent has no submodules: they stay what they are. */
async function changesGitlink(git: Git, base: string, ...sides: readonly string[]): Promise<boolean> {
  for (const side of sides) {
    const raw = await must(git, ["diff-tree", "-r", "-z", "--no-renames", base, side]);
    if (parts(raw).some((part) => /^:(160000 |\d{6} 160000 )/.test(part))) return true;
  }
  return false;
}

export async function must(git: Git, args: readonly string[], options?: GitOptions): Promise<string> {
  const { code, out, err } = await git.run(args, options);
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${code} ${err}`);
  return out;
}

function shuffled<T>(from: readonly T[], random: Seeded): T[] {
  const keyed = from.map((one) => ({ one, key: random.next() }));
  return keyed.sort((left, right) => left.key - right.key).map(({ one }) => one);
}
