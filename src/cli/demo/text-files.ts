import { isUtf8 } from "node:buffer";
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Git, parts } from "../../worktrees/git.ts";

const MOST_BYTES = 200_000;
/** So many are looked into. */
const MOST_CANDIDATES = 50;

/** Committed files that lines can be put into, the likeliest first, at most `count`. */
export async function textFiles(git: Git, count: number): Promise<readonly string[]> {
  const all = parts((await git.run(["ls-files", "-z"])).out);
  const candidates = all
    .filter((path) => isPlain(path))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .slice(0, MOST_CANDIDATES);
  if (candidates.length === 0) return [];
  // One that git merges in a way of its own shows no conflict.
  const said = await git.run(["check-attr", "-z", "merge", "--", ...candidates]);
  const fields = said.out.split("\0");
  const own = new Set(
    candidates.filter((path) => {
      const at = fields.indexOf(path);
      return at >= 0 && fields[at + 2] !== "unspecified";
    }),
  );
  const found: string[] = [];
  for (const path of candidates) {
    if (found.length === count) break;
    if (!own.has(path) && (await hasLines(join(git.folder, path)))) found.push(path);
  }
  return found;
}

/** A name that needs no quotes in an instruction, and nothing that is hidden. */
function isPlain(path: string): boolean {
  return /^[\w-]+(?:[./][\w-]+)*$/.test(path) && !/(?:^|[-.])lock\b/.test(path);
}

function rank(path: string): number {
  const depth = path.split("/").length;
  if (/^readme\.md$/i.test(path)) return 0;
  if (/^(?:changelog|contributing|history)\.md$/i.test(path)) return 1;
  if (/\.(?:md|txt|rst)$/i.test(path)) return 10 + depth;
  return 100 + depth;
}

async function hasLines(file: string): Promise<boolean> {
  const stats = await lstat(file).catch(() => null);
  if (!stats?.isFile() || stats.size > MOST_BYTES) return false;
  const bytes = await readFile(file);
  const text = bytes.toString("latin1");
  if (!isUtf8(bytes) || text.includes("\0") || !text.endsWith("\n")) return false;
  return text.indexOf("\n") < text.length - 1 && !/^[<=>|]{7}/m.test(text);
}
