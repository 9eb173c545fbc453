import type { ShownDocument } from "../../context/references.ts";
import { MAIN } from "../../mailbox/ids.ts";
import { repositoriesAbout } from "../../policy/trust/git-repository.ts";
import type { Processes } from "../../processes/processes.ts";
import type { Joints } from "../../supervisor/joints.ts";
import type { ShownBlock } from "../../tools/images.ts";
import { read } from "../../tools/read.ts";
import { ReadLedger } from "../../tools/turn-state.ts";
import type { SessionContext } from "./session-context.ts";

/** What conversations know of their environment. Joint: `beforeTurn` (a notice of what has changed). */
export function contextFeature(context: Pick<SessionContext, "takeNotice">): Joints {
  return { beforeTurn: (actor) => ({ notice: context.takeNotice(actor) }) };
}

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

export interface GitStatusParts {
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

/** The longest a prompt waits for a document that it names. */
const SHOW_MS = 60_000;

/** Shows a document that a prompt names, through Read's own code: the same text, limits and images. */
export async function showDocument(
  path: string,
  { cwd, resultChars }: { readonly cwd: string; readonly resultChars: number },
): Promise<ShownDocument> {
  const reads = new ReadLedger();
  const context = { cwd, reads, resultChars, signal: AbortSignal.timeout(SHOW_MS) };
  const shown = await read({ file_path: path }, context).catch((error: Error) => error);
  if ("message" in shown) return { text: shown.message, pictures: [] };
  const blocks: readonly ShownBlock[] = "text" in shown ? [{ type: "text", text: shown.text }] : shown.blocks;
  const [entry] = reads.fresh;
  return {
    text: blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"),
    pictures: blocks.flatMap((block) => (block.type === "image" ? [block] : [])),
    ...(entry ? { read: entry } : {}),
  };
}
