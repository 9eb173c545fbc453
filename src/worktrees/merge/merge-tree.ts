import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import type { Conflict, Worktree } from "../../mailbox/worktree.ts";
import type { Repository } from "../environment.ts";
import type { Git } from "../git.ts";
import { treeRecordFolder } from "../layout.ts";
import { outputOf, refuseRequest } from "../refusal.ts";
import { tooOldToMerge } from "../repository.ts";
import { readJsonFile } from "../tree-record.ts";

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
  const answer = await git.run(args, { signal });
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

/** The files that got marks when a conflict went back to its owner, and the name in the marks. */
const Marked = z.object({ name: z.string(), paths: z.array(z.string()) });
type Marked = z.infer<typeof Marked>;

export function rememberMarked(common: string, tree: Worktree, marked: Marked): void {
  const file = markedFile(common, tree);
  if (marked.paths.length === 0) rmSync(file, { force: true });
  else {
    mkdirSync(treeRecordFolder(common, tree.name), { recursive: true });
    writeFileSync(file, JSON.stringify(marked));
  }
}

/**
 * Returns the files in which the owner left marks: both sides of a conflict are not a result. `root`: the agent's
 * worktree.
 */
export async function unresolved(repo: Repository, tree: Worktree, root: string): Promise<Conflict[]> {
  const marked = readJsonFile(Marked, markedFile(repo.common, tree));
  const open: Conflict[] = [];
  for (const path of marked?.paths ?? []) {
    const lines = marksOf((await textIn(repo.git, root, path)) ?? "", marked?.name ?? "");
    if (lines.length > 0) open.push({ path, kind: "unresolved", lines });
  }
  return open;
}

function markedFile(common: string, { name }: Worktree): string {
  return join(treeRecordFolder(common, name), "marked.json");
}

/** Returns the line ranges with conflict marks; lines count from 1. */
export function markedLines(text: string): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  let from: number | null = null;
  for (const [at, line] of text.split("\n").entries()) {
    if (from === null && /^<{7,} /.test(line)) from = at + 1;
    else if (from !== null && /^>{7,} /.test(line)) {
      found.push({ from, to: at + 1 });
      from = null;
    }
  }
  return found;
}

/** Returns the marks with this name, as Troupe's have: other text has it only by chance. */
export function marksOf(text: string, name: string): { from: number; to: number }[] {
  const isMark = (line: string) => /^[<>]{7,} /.test(line) && line.includes(name);
  return text.split("\n").flatMap((line, at) => (isMark(line) ? [{ from: at + 1, to: at + 1 }] : []));
}
