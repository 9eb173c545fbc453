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
const FOLDER = "040000";

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
  const files = changes.filter(
    ({ oldMode, newMode }) => ![oldMode, newMode].every((mode) => mode === FOLDER || mode === "000000"),
  );
  return files.map(({ path, oldMode, newMode }) => {
    const was = oldMode !== FOLDER && oldMode !== "000000";
    const is = newMode !== FOLDER && newMode !== "000000";
    return { path, change: was && is ? "modified" : is ? "added" : "deleted" };
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
