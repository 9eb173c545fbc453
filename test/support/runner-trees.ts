import { statSync } from "node:fs";
import { TestRunner } from "vitest";
import { prepareTrees } from "../../src/cli/runners/run-runner.ts";
import { errorMessage } from "../../src/lib/errors.ts";
import { RUNNER_TREES } from "../../src/mailbox/worktree.ts";

/** Skips the test that runs now if another user of this machine has the directory of all runners' worktrees. */
export function needRunnerTrees(): void {
  try {
    prepareTrees(RUNNER_TREES);
  } catch (error) {
    // A directory of this user must do: the test has to fail.
    const test = TestRunner.getCurrentTest();
    if (statSync(RUNNER_TREES).uid === process.getuid?.() || test === undefined) throw error;
    test.context.skip(`no runner can start for this user: ${errorMessage(error)}`);
  }
}
