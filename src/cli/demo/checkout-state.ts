import { createHash } from "node:crypto";
import { lstat, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { type Git, parts } from "../../worktrees/git.ts";
import { must } from "./scratch.ts";

/** All of a checkout that must not change unasked, as digests. */
export interface CheckoutState {
  /** The commit, and the branch it is on. */
  readonly head: string;
  /** Of what is staged: every entry of the index, with its content. */
  readonly staged: string;
  readonly entries: number;
  /** Every file that git knows or would add, by its path: its kind, mode and bytes. */
  readonly files: ReadonlyMap<string, string>;
}

export async function stateOf(git: Git, signal?: AbortSignal): Promise<CheckoutState> {
  const commit = (await must(git, ["rev-parse", "HEAD"], signal)).trim();
  const branch = (await git.run(["symbolic-ref", "-q", "HEAD"])).out.trim();
  const index = await must(git, ["ls-files", "--stage", "-v", "-z"], signal);
  const listed = await must(git, ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], signal);
  const files = new Map<string, string>();
  for (const path of new Set(parts(listed))) {
    signal?.throwIfAborted();
    const digest = await digestOf(join(git.folder, path));
    if (digest !== null) files.set(path, digest);
  }
  return {
    head: `${commit} ${branch}`,
    staged: createHash("sha256").update(index).digest("hex"),
    entries: parts(index).length,
    files,
  };
}

/** Null: it is not there. */
async function digestOf(file: string): Promise<string | null> {
  const stats = await lstat(file).catch(() => null);
  if (stats === null) return null;
  if (stats.isSymbolicLink()) return `link to ${await readlink(file)}`;
  if (!stats.isFile()) return "no file";
  const bytes = await readFile(file);
  return `${(stats.mode & 0o111) === 0 ? "file" : "program"} ${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Paths where two states differ, but for those that may. */
export function differing(
  one: CheckoutState,
  other: CheckoutState,
  mayDiffer: ReadonlySet<string> = new Set(),
): readonly string[] {
  const all = new Set([...one.files.keys(), ...other.files.keys()]);
  return [...all].filter((path) => !mayDiffer.has(path) && one.files.get(path) !== other.files.get(path));
}
