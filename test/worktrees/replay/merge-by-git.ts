import type { Git } from "../../../src/worktrees/git.ts";
import type { HistoricMerge } from "./merges-in.ts";
import { different, unnamed } from "./played.ts";

export type GitMerge =
  | { readonly type: "clean"; readonly tree: string }
  | { readonly type: "conflict"; readonly files: ReadonlySet<string>; readonly told: string };

/** What git makes of the two sides, without a checkout. */
export async function mergeByGit(git: Git, { ours, theirs }: HistoricMerge): Promise<GitMerge> {
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--messages", ours, theirs];
  const { code, out, err } = await git.run(args);
  const [tree = "", ...rest] = out.split("\0");
  if (code === 0) return { type: "clean", tree };
  if (code !== 1) throw different(`git itself cannot merge: ${err}`);
  const files = rest.slice(0, rest.indexOf(""));
  return {
    type: "conflict",
    files: new Set(files.map(unnamed)),
    told: rest.slice(files.length).join("\n"),
  };
}
