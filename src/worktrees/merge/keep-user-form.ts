import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isMissing } from "../../lib/errors.ts";
import type { Repository } from "../environment.ts";
import { lstatOf } from "./file-state.ts";
import type { PlannedChange } from "./plan.ts";

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
  try {
    return lineEndOf(readFileSync(file));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Returns the end that all lines have; null if they differ, or if there are no lines, or no text. */
function lineEndOf(bytes: Buffer): "\n" | "\r\n" | null {
  if (!bytes.includes("\n") || bytes.includes(0)) return null;
  if (!bytes.includes("\r")) return "\n";
  return /(^|[^\r])\n|\r(?!\n)/.test(bytes.toString("latin1")) ? null : "\r\n";
}
