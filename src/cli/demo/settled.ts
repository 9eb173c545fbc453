import type { Git } from "../../worktrees/git.ts";
import type { JobEnd } from "../jobs.ts";
import type { Check } from "./checks.ts";
import type { Roles } from "./roles.ts";

/**
 * Whether two agents really wrote at the same place, and the later one settled it: its worktree was put onto the
 * other's edits (its base has them, though it began without), and what it made of them was merged.
 */
export async function conflictSettled(
  git: Git,
  { agents, contested }: Roles,
  ends: readonly JobEnd[],
): Promise<Check> {
  const rivals = agents.flatMap(({ adds }, at) => {
    const line = adds.find(({ path }) => path === contested)?.line;
    return line === undefined ? [] : [{ line, at }];
  });
  const settled: number[] = [];
  for (const { at } of rivals) {
    const worktree = ends[at]?.summary.worktree;
    if (worktree?.outcome !== "merged") continue;
    const { out } = await git.run(["cat-file", "blob", `${worktree.base}:${contested}`]);
    if (rivals.some((other) => other.at !== at && out.includes(other.line))) settled.push(at + 1);
  }
  const names = rivals.map(({ at }) => at + 1).join(" and ");
  const [who] = settled;
  const says =
    who === undefined
      ? `agents ${names} wrote at the same place of ${contested}, and one of them settled it`
      : `agents ${names} wrote at the same place of ${contested}: it came back to agent ${who}, which settled it`;
  return {
    says,
    ok: settled.length === 1,
    ...(settled.length === 1 ? {} : { found: `${settled.length} conflicts were settled` }),
  };
}
