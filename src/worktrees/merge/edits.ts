import { type Git, parts } from "../git.ts";
import type { Counts } from "../protocol.ts";
import { outputOf } from "../refusal.ts";

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
