import { createHash } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Git } from "../../../src/worktrees/git.ts";

/** All that is in a folder but for git's own and our trees: what it is, whether it may be run, and its bytes. */
export function filesIn(folder: string, at = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(join(folder, at)).toSorted()) {
    const path = at === "" ? name : `${at}/${name}`;
    if (path === ".git" || path === ".claude/worktrees") continue;
    const stat = lstatSync(join(folder, path));
    if (stat.isDirectory()) {
      const within = filesIn(folder, path);
      if (within.size === 0 && path !== ".claude") found.set(`${path}/`, "folder");
      for (const [inner, what] of within) found.set(inner, what);
    } else if (stat.isSymbolicLink()) found.set(path, `link ${readlinkSync(join(folder, path))}`);
    else {
      const bytes = createHash("sha1")
        .update(readFileSync(join(folder, path)))
        .digest("hex");
      found.set(path, `${(stat.mode & 0o100) === 0 ? "file" : "program"} ${bytes}`);
    }
  }
  return found;
}

/** In words, what is other; empty: nothing. */
export function differences(
  found: ReadonlyMap<string, string>,
  wanted: ReadonlyMap<string, string>,
): string[] {
  const paths = new Set([...found.keys(), ...wanted.keys()]);
  return [...paths].flatMap((path) => {
    const [is, should] = [found.get(path) ?? "absent", wanted.get(path) ?? "absent"];
    return is === should ? [] : [`${path} is ${is}, should be ${should}`];
  });
}

/** A commit or tree as a fresh checkout would have it, in this directory, which is emptied first. */
export async function writeOut(git: Git, gitDir: string, treeish: string, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const index = `${folder}.index`;
  rmSync(index, { force: true });
  const { code, err } = await git.at(folder).run(["read-tree", "--reset", "-u", treeish], { index, gitDir });
  if (code !== 0) throw new Error(`${treeish} could not be written out: ${err}`);
}

/** These paths in `folder` become what they are in `from`, as tools write: deletions, then files, links and rights. */
export function rewrite(folder: string, from: string, paths: readonly string[]): void {
  const there = paths.map((path) => ({ path, stat: lstatOf(join(from, path)) }));
  const isFile = (stat: ReturnType<typeof lstatOf>) => stat !== null && !stat.isDirectory();
  for (const { path, stat } of there) if (!isFile(stat)) remove(folder, path);
  for (const { path, stat } of there) if (isFile(stat)) writeLike(join(folder, path), join(from, path));
}

function remove(folder: string, path: string): void {
  if (lstatOf(join(folder, path))?.isDirectory() !== false) return;
  rmSync(join(folder, path));
  for (let at = dirname(path); at !== "."; at = dirname(at)) {
    if (readdirSync(join(folder, at)).length > 0) return;
    rmdirSync(join(folder, at));
  }
}

function writeLike(file: string, model: string): void {
  const wanted = lstatSync(model);
  const now = lstatOf(file);
  if (now !== null && (wanted.isSymbolicLink() || !now.isFile())) rmSync(file, { recursive: true });
  mkdirSync(dirname(file), { recursive: true });
  if (wanted.isSymbolicLink()) {
    symlinkSync(readlinkSync(model), file);
    return;
  }
  writeFileSync(file, readFileSync(model));
  chmodSync(file, wanted.mode & 0o777);
}

function lstatOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    // A file stands where a folder would have to be.
    return null;
  }
}
