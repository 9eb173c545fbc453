import { join } from "node:path";
import type { Git } from "../../src/worktrees/git.ts";
import { must } from "../../test/worktrees/replay/merges-in.ts";
import type { Checkout, HomeAdapter, IsolatedCopy } from "./adapter.ts";

/** The floor: the agent's branch, and `git merge`. */
export const gitMerge: HomeAdapter = {
  name: "git merge",
  async bring({ git }, copy) {
    await commitEdits(git, copy);
    const merged = await git.run(["merge", "-q", "--no-edit", copy.branch ?? ""], { identity: "person" });
    if (merged.code === 0) return { type: "home" };
    // 1 is a conflict; anything else is a refusal, in which a merge in progress would be the user's own.
    if (merged.code === 1) await git.run(["merge", "--abort"]);
    return { type: "kept", branch: copy.branch, why: merged.err || merged.out };
  },
};

/** The other floor: the agent's edits as a patch, and `git apply`. */
export const gitApply: HomeAdapter = {
  name: "git apply",
  async bring({ git, spare }, copy) {
    await commitEdits(git, copy);
    const file = join(spare, "edits.patch");
    await must(git.at(copy.dir), ["diff", "--binary", `--output=${file}`, copy.base, "HEAD"]);
    const applied = await git.run(["apply", file]);
    return applied.code === 0 ? { type: "home" } : { type: "kept", branch: copy.branch, why: applied.err };
  },
};

/** What the benchmark does for tools that have no isolation of their own. */
export async function addWorktree({ git, spare, agent }: Checkout): Promise<IsolatedCopy> {
  const [dir, branch] = [join(spare, agent), `agent-${agent}`];
  const base = (await must(git, ["rev-parse", "HEAD"])).trim();
  await must(git, ["worktree", "add", "-q", "-b", branch, dir, base]);
  return { dir, base, branch };
}

async function commitEdits(git: Git, { dir }: IsolatedCopy): Promise<void> {
  const there = git.at(dir);
  await must(there, ["add", "-A"]);
  await must(there, ["commit", "-q", "--allow-empty", "-m", "Edits of an agent"], { identity: "person" });
}
