import { TestRunner } from "vitest";
import { prepareTrees } from "../../src/cli/runners/prepare-trees.ts";
import { errorMessage } from "../../src/lib/errors.ts";
import { RUNNER_TREES } from "../../src/mailbox/worktree.ts";

let problem: string | null | undefined;

/** Skips the test that runs now if another user of this machine has the directory of all runners' worktrees. */
export function needRunnerTrees(): void {
  problem ??= findProblem();
  if (problem !== null) TestRunner.getCurrentTest()?.context.skip(problem);
}

function findProblem(): string | null {
  try {
    prepareTrees(RUNNER_TREES);
    return null;
  } catch (error) {
    return `no runner can start for this user: ${errorMessage(error)}`;
  }
}
