import type { Conflict } from "../../mailbox/worktree.ts";
import type { Git } from "../git.ts";
import { outputOf, refuseRequest } from "../refusal.ts";
import { tooOldToMerge } from "../repository.ts";
import { markedLines } from "./marked-lines.ts";

/** `tree` has git's marks in it after a conflict. */
export type Merged =
  | { readonly type: "clean"; readonly tree: string }
  | { readonly type: "conflict"; readonly tree: string; readonly conflicts: readonly ConflictedFile[] };

export interface ConflictedFile {
  readonly path: string;
  readonly kind: string;
  /** By stage: 1 the base, 2 ours, 3 theirs. */
  readonly sides: ReadonlyMap<number, { readonly mode: string; readonly id: string }>;
}

/** Both are commits with one merge base; the names appear in the marks. */
export async function mergeTree(
  git: Git,
  ours: string,
  theirs: string,
  signal?: AbortSignal,
): Promise<Merged> {
  const args = ["merge-tree", "--write-tree", "-z", "--messages", ours, theirs];
  const answer = await git.run(args, signal ? { signal } : {});
  const { code, out } = answer;
  const [tree = "", ...rest] = out.split("\0");
  const tooOld = code === 0 || code === 1 ? null : await tooOldToMerge({ git });
  if (tooOld !== null) refuseRequest(tooOld);
  if (code !== 1 || !/^[0-9a-f]{40,64}$/.test(tree)) outputOf(answer, "The edits could not be merged");
  if (code === 0) return { type: "clean", tree };
  const gap = rest.indexOf("");
  const files = rest.slice(0, gap === -1 ? rest.length : gap);
  return { type: "conflict", tree, conflicts: conflictsOf(files, kindsOf(rest.slice(gap + 1))) };
}

function conflictsOf(lines: readonly string[], kinds: ReadonlyMap<string, string>): ConflictedFile[] {
  const sides = new Map<string, Map<number, { mode: string; id: string }>>();
  for (const line of lines) {
    const [, mode = "", id = "", stage = "", path = ""] =
      /^(\d{6}) ([0-9a-f]+) (\d)\t(.*)$/s.exec(line) ?? [];
    if (path === "") continue;
    const of = sides.get(path) ?? new Map<number, { mode: string; id: string }>();
    sides.set(path, of.set(Number(stage), { mode, id }));
  }
  // Some are only reported: a renamed directory.
  for (const path of kinds.keys()) if (!sides.has(path) && kinds.get(path) !== "") sides.set(path, new Map());
  return [...sides].map(([path, of]) => ({ path, kind: kinds.get(path) || "content", sides: of }));
}

/** The number of paths, the paths, the type, the message; repeated. */
function kindsOf(fields: readonly string[]): Map<string, string> {
  const kinds = new Map<string, string>();
  for (let at = 0; at < fields.length; ) {
    const many = Number(fields[at]);
    if (!Number.isSafeInteger(many) || fields[at] === "") break;
    const paths = fields.slice(at + 1, at + 1 + many);
    const sort = fields[at + 1 + many] ?? "";
    const said = fields[at + 2 + many] ?? "";
    at += 3 + many;
    const kind = /binary/.test(sort) ? "binary" : /^CONFLICT \(([^)]+)\)/.exec(said)?.[1];
    if (kind === undefined) continue;
    for (const path of paths.slice(0, 1)) if (kinds.get(path) !== "binary") kinds.set(path, kind);
  }
  return kinds;
}

/** More files are not searched for lines. */
const LOOKED_INTO = 100;

/** Adds the line numbers of the marks in git's merged tree. */
export async function withLines(
  git: Git,
  tree: string,
  files: readonly ConflictedFile[],
): Promise<Conflict[]> {
  const found: Conflict[] = [];
  for (const [at, { path, kind }] of files.entries()) {
    const text = at < LOOKED_INTO && kind !== "binary" ? await textIn(git, tree, path) : null;
    found.push({ path, kind, lines: text === null ? [] : markedLines(text) });
  }
  return found;
}

/** Returns null if the file does not exist. */
export async function textIn(git: Git, tree: string, path: string): Promise<string | null> {
  const { code, out } = await git.run(["cat-file", "blob", `${tree}:${path}`]);
  return code === 0 ? out : null;
}
