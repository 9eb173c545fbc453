import { MAIN } from "../../mailbox/ids.ts";
import { repositoriesAbout } from "../../policy/trust/git-repository.ts";
import type { Processes } from "../../processes/processes.ts";

/** The longest wait: in a huge repository agents work without the status. */
const MOST_MS = 2_000;

const MOST_BYTES = 256 * 1024;

const MOST_LINES = 40;

/** Disables everything a repository could have git run, writes nothing, and prints paths as they are. */
const ARGUMENTS = [
  ...["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false"],
  ...["-c", "color.ui=false", "status", "--porcelain", "--branch", "--ignore-submodules=dirty"],
];

const ENVIRONMENT = { GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };

interface GitStatusParts {
  readonly processes: Pick<Processes, "run">;
  readonly newId: () => string;
  /** Returns what git would run there without the user's trust; then git is not run. */
  readonly foreignGit: (folder: string) => string | null;
}

/** Returns `git status` of a directory as text, or null if there is no repository or git takes too long. */
export async function gitStatus(
  cwd: string,
  { processes, newId, foreignGit }: GitStatusParts,
): Promise<string | null> {
  // No process if there is nothing to ask.
  if (repositoriesAbout(cwd).length === 0 || foreignGit(cwd) !== null) return null;
  const { outcome, exitCode, stdout } = await processes.run({
    ...{ id: `git-status-${newId()}`, owner: MAIN, file: "git", args: ARGUMENTS, cwd, env: ENVIRONMENT },
    ...{ timeoutMs: MOST_MS, maxOutputBytes: MOST_BYTES },
  });
  return outcome === "exited" && exitCode === 0 ? statusText(stdout) : null;
}

function statusText(porcelain: string): string {
  const [branch = "", ...changes] = porcelain.trimEnd().split("\n");
  const shown = changes.slice(0, MOST_LINES);
  const left = changes.length - shown.length;
  return [
    branch.replace(/^## /, "Branch: "),
    ...(changes.length === 0 ? ["Nothing is changed."] : shown),
    ...(left > 0 ? [`(and ${left} more)`] : []),
  ].join("\n");
}
