import type { GitRequest } from "../../../src/worktrees/protocol.ts";
import { RunnerRepositories } from "../../../src/worktrees/runner/repositories.ts";
import type { RunnerTree } from "../../../src/worktrees/runner/trees.ts";
import { groundOf } from "../../support/worktree-ground.ts";
import { importEdits } from "../operations.ts";

/** One step of files that travel, in a process of its own, which the git that it starts may kill. Says nothing. */
export type KilledTravel =
  | {
      readonly type: "receive";
      readonly clones: string;
      readonly repository: string;
      readonly commit: string;
      readonly bundle: string;
    }
  | { readonly type: "add"; readonly clones: string; readonly tree: RunnerTree }
  | { readonly type: "import"; readonly edits: GitRequest<"importEdits"> };

const [given = "", envText = ""] = process.argv.slice(2);
const step: KilledTravel = JSON.parse(given);
const ground = groundOf({ env: JSON.parse(envText) });

switch (step.type) {
  case "receive":
    await new RunnerRepositories(step.clones, ground).receive(step.repository, step);
    break;
  case "add":
    await new RunnerRepositories(step.clones, ground).trees.add(step.tree);
    break;
  case "import":
    await importEdits(step.edits, ground);
    break;
  default:
    step satisfies never;
}
