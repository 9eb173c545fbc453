import { type Git, parts } from "./git.ts";
import type { ChangedFile, Counts } from "./protocol.ts";
import { outputOf } from "./refusal.ts";

/** One entry that differs between two trees. */
export interface RawChange {
  readonly path: string;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
  readonly newId: string;
  readonly status: string;
}

export const NESTED = "160000";
/** Nothing, and a directory. */
const NO_FILE = ["000000", "040000"];

/** What git has at a path. */
export interface Blob {
  readonly mode: string;
  readonly id: string;
}

/** Returns null for nothing, and for a directory. */
export function fileAt(mode: string, id: string): Blob | null {
  return NO_FILE.includes(mode) ? null : { mode, id };
}

type Run = Git["run"];

/** Returns the entries that differ, directories too, because their objects must exist as well. */
export async function rawChanges(run: Run, from: string, to: string): Promise<RawChange[]> {
  const compared = await run(["diff-tree", "-r", "-t", "-z", "--raw", "--no-renames", from, to]);
  const fields = parts(outputOf(compared, "Two versions of the files could not be compared"));
  const changes: RawChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", newMode = "", oldId = "", newId = "", status = ""] = (fields[at] ?? "")
      .slice(1)
      .split(" ");
    changes.push({ path: fields[at + 1] ?? "", oldMode, newMode, oldId, newId, status });
  }
  return changes;
}

export function filesOf(changes: readonly RawChange[]): ChangedFile[] {
  return changes.flatMap(({ path, oldMode, newMode }): ChangedFile[] => {
    const [was, is] = [!NO_FILE.includes(oldMode), !NO_FILE.includes(newMode)];
    return was || is ? [{ path, change: was && is ? "modified" : is ? "added" : "deleted" }] : [];
  });
}

/** Counts the changes; binary files count only as files. Returns null if git could not read one. */
export async function countsBetween(run: Run, from: string, to: string): Promise<Counts | null> {
  const { code, out } = await run([...PLAIN_DIFF, "--shortstat", from, to]);
  if (code !== 0) return null;
  const number = (what: RegExp) => Number(what.exec(out)?.[1] ?? 0);
  return {
    files: number(/(\d+) files? changed/),
    insertions: number(/(\d+) insertions?\(\+\)/),
    deletions: number(/(\d+) deletions?\(-\)/),
  };
}

/** Ignores the user's diff settings and runs no external diff programs. */
export const PLAIN_DIFF = [
  "diff",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "-M",
  "--src-prefix=a/",
  "--dst-prefix=b/",
];

/** The agent's changes, from its base to its snapshot. */
export interface Edits {
  readonly counts: Counts;
  /** Deleted files, without renamed ones. */
  readonly deleted: readonly string[];
}

export async function editsBetween(git: Git, base: string, snapshot: string): Promise<Edits> {
  const args = ["diff-tree", "-r", "-z", "-M", "--raw", "--numstat", base, snapshot];
  const fields = outputOf(await git.run(args), "The edits could not be compared").split("\0");
  const deleted: string[] = [];
  let at = 0;
  for (; fields[at]?.startsWith(":"); at += /^[RC]/.test(statusIn(fields[at])) ? 3 : 2)
    if (statusIn(fields[at]) === "D") deleted.push(fields[at + 1] ?? "");
  let [files, insertions, deletions] = [0, 0, 0];
  // A rename has its two names in separate fields; a binary file has no numbers.
  for (; at < fields.length; at += 1) {
    const line = /^(\d+|-)\t(\d+|-)\t/.exec(fields[at] ?? "");
    if (line === null) continue;
    files += 1;
    insertions += Number(line[1]) || 0;
    deletions += Number(line[2]) || 0;
    if (fields[at] === line[0]) at += 2;
  }
  return { counts: { files, insertions, deletions }, deleted };
}

function statusIn(field: string | undefined): string {
  return field?.split(" ").at(-1) ?? "";
}

/** Returns every file in a tree. */
export async function listTreeNames(git: Git, tree: string): Promise<readonly string[]> {
  const listed = await git.run(["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree]);
  return parts(outputOf(listed, "A tree could not be read"));
}
