import {
  chmodSync,
  closeSync,
  fsync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { unlessMissing } from "../../lib/on-disk.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { type Git, type GitOptions, parts } from "../git.ts";
import { mergeFolder, treesFolder } from "../layout.ts";
import { outputOf, refuseRequest } from "../refusal.ts";
import { chunks, withIndex } from "../side-index.ts";
import { makeTreesFolder } from "../trees-folder.ts";
import { lstatOf } from "./file-state.ts";
import { mergeDirName } from "./locate.ts";
import type { PlannedChange } from "./plan.ts";

/** Makes a directory of this merge alone on the device of the checkout: files can be linked only there. */
export async function bytesFolder(repo: Repository, merge: string): Promise<string> {
  if (statSync(repo.common).dev === statSync(repo.top).dev) return mergeFolder(repo.common, merge);
  await makeTreesFolder(repo);
  return join(treesFolder(repo.top), mergeDirName(merge));
}

/**
 * Lets git write these files of a tree into an empty directory as into a checkout: filters, line ends, permissions,
 * links. The attributes of the tree apply.
 */
export async function stageFiles(
  repo: Repository,
  tree: string,
  paths: readonly string[],
  folder: string,
  ground: GitEnvironment,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  if (paths.length === 0) return;
  const git = repo.git.at(folder);
  await withIndex(repo, ground, async (index) => {
    const options = { index, gitDir: repo.gitDir };
    await indexOf(git, tree, paths, options);
    for (const some of chunks(paths, 500)) {
      const args = ["checkout-index", "--ignore-skip-worktree-bits", "--", ...some];
      outputOf(await git.run(args, options), "The merged files could not be made");
    }
  });
  const missing = paths.find((path) => lstatOf(join(folder, path)) === null);
  if (missing !== undefined) refuseRequest(`${missing} could not be made as git has it.`);
  await onDisk(paths.map((path) => join(folder, path)));
}

/** Builds an index of these files and of the attributes that git needs to write them. */
async function indexOf(git: Git, tree: string, paths: readonly string[], options: GitOptions): Promise<void> {
  const listed = await git.run(["ls-tree", "-r", "-z", "--full-tree", tree], options);
  const wanted = new Set(paths);
  const entries = parts(outputOf(listed, NOT_LISTED)).flatMap((line) => {
    const tab = line.indexOf("\t");
    const path = line.slice(tab + 1);
    if (!wanted.has(path) && !/(^|\/)\.gitattributes$/.test(path)) return [];
    const [mode = "", , id = ""] = line.slice(0, tab).split(" ");
    return [["--cacheinfo", `${mode},${id},${path}`]];
  });
  for (const some of chunks(entries, 250)) {
    const args = ["-c", "core.splitIndex=false", "update-index", "--add", ...some.flat()];
    outputOf(await git.run(args, options), NOT_LISTED);
  }
}

const NOT_LISTED = "The merged files could not be listed";

const AT_ONCE = 8;

/** After a power failure they are complete, or not in the checkout. */
async function onDisk(files: readonly string[]): Promise<void> {
  for (const some of chunks(files, AT_ONCE)) await Promise.all(some.map(synced));
}

async function synced(file: string): Promise<void> {
  if (lstatOf(file)?.isFile() !== true) return;
  const opened = openSync(file, "r");
  try {
    await promisify(fsync)(opened);
  } finally {
    closeSync(opened);
  }
}

/** Larger files are not read for their line ends. */
const MOST_BYTES = 16n << 20n;

/**
 * Gives new files what git does not know of those that they replace: their permissions, and line ends that are the same
 * to git. Git would write a file that its user saved with other ends with its own, so that every line changes.
 */
export async function keepUserForm(
  repo: Repository,
  changes: readonly PlannedChange[],
  stage: string,
): Promise<void> {
  // New attributes may ask for other ends.
  const isAsked = changes.some(({ path }) => basename(path) === ".gitattributes");
  for (const change of changes) {
    if (change.before === null || change.after === null) continue;
    const [mine, staged] = [join(repo.top, change.path), join(stage, change.path)];
    const [was, is] = [lstatOf(mine), lstatOf(staged)];
    if (was?.isFile() !== true || is?.isFile() !== true) continue;
    const isSmall = was.size <= MOST_BYTES && is.size <= MOST_BYTES;
    if (isSmall && !isAsked) await keepLineEnds(repo, change, mine, staged);
    const mode = modeOf(change, Number(was.mode & 0o777n));
    if (mode !== Number(is.mode & 0o777n)) chmodSync(staged, mode);
  }
}

/** A file that only its owner may read must not become everyone's. */
function modeOf({ before, after }: PlannedChange, was: number): number {
  if (before?.mode === after?.mode) return was;
  const readers = (was & 0o444) >> 2;
  return after?.mode === "100755" ? was | readers : was & ~0o111;
}

async function keepLineEnds(
  repo: Repository,
  { path, after }: PlannedChange,
  mine: string,
  staged: string,
): Promise<void> {
  const is = readFileSync(staged);
  const [end, other] = [readLineEnd(mine), lineEndOf(is)];
  if (end === null || other === null || end === other) return;
  const text = is.toString("latin1").replaceAll(other, end);
  writeFileSync(staged, text, { encoding: "latin1", flush: true });
  const { code, out } = await repo.git.run(["hash-object", `--path=${path}`, "--", staged]);
  if (code !== 0 || out.trim() !== after?.id) writeFileSync(staged, is, { flush: true });
}

/** Returns null if the file was removed in the meantime, which is found later. */
function readLineEnd(file: string): ReturnType<typeof lineEndOf> {
  return unlessMissing(() => lineEndOf(readFileSync(file)), null);
}

/** Returns the end that all lines have; null if they differ, or if there are no lines, or no text. */
function lineEndOf(bytes: Buffer): "\n" | "\r\n" | null {
  if (!bytes.includes("\n") || bytes.includes(0)) return null;
  if (!bytes.includes("\r")) return "\n";
  return /(^|[^\r])\n|\r(?!\n)/.test(bytes.toString("latin1")) ? null : "\r\n";
}
