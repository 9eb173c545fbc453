import type * as z from "zod/mini";
import { type Git, parts } from "../git.ts";
import { lastLine, refused } from "../repository.ts";
import type { Counts, Refused } from "../requests.ts";

/** What an agent did, from its base to its snapshot. */
export interface Edits {
  readonly type: "edits";
  readonly counts: z.infer<typeof Counts>;
  /** Files that are gone, and were not renamed. */
  readonly deleted: readonly string[];
}

export async function editsBetween(git: Git, base: string, snapshot: string): Promise<Edits | Refused> {
  const args = ["diff-tree", "-r", "-z", "-M", "--raw", "--numstat", base, snapshot];
  const { code, out, err } = await git.run(args);
  if (code !== 0) return refused(`The edits could not be compared (git says: ${lastLine(err)}).`);
  const fields = out.split("\0");
  const deleted: string[] = [];
  let at = 0;
  for (; fields[at]?.startsWith(":"); at += /^[RC]/.test(statusIn(fields[at])) ? 3 : 2)
    if (statusIn(fields[at]) === "D") deleted.push(fields[at + 1] ?? "");
  let [files, insertions, deletions] = [0, 0, 0];
  // A rename has its two names in fields of their own; a binary file has no numbers.
  for (; at < fields.length; at += 1) {
    const line = /^(\d+|-)\t(\d+|-)\t/.exec(fields[at] ?? "");
    if (line === null) continue;
    files += 1;
    insertions += Number(line[1]) || 0;
    deletions += Number(line[2]) || 0;
    if (fields[at] === line[0]) at += 2;
  }
  return { type: "edits", counts: { files, insertions, deletions }, deleted };
}

function statusIn(field: string | undefined): string {
  return field?.split(" ").at(-1) ?? "";
}

/** Every file that is in a tree. */
export async function namesIn(git: Git, tree: string): Promise<readonly string[] | Refused> {
  const { code, out, err } = await git.run(["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree]);
  return code === 0 ? parts(out) : refused(`A tree could not be read (git says: ${lastLine(err)}).`);
}
