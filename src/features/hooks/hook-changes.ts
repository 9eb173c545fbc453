import type { Stats } from "node:fs";
import type { DiffHunk } from "../../lib/file-diff.ts";
import type { HookChange } from "../../mailbox/calls.ts";
import { plainText } from "../../tools/command-output.ts";
import { findHunks } from "../../tools/file-diff.ts";
import { knownEntry, WHOLE_DIGEST_BYTES } from "../../tools/read-guard.ts";
import { openRegular } from "../../tools/regular-file.ts";
import type { KnownTool } from "../../tools/toolbox.ts";

/** Limits of the diff that the agent sees; it can read the file again. */
const DIFF = { lines: 80, chars: 4_000 };

interface FileNow {
  readonly path: string;
  readonly stats: Stats;
  readonly bytes: Buffer;
}

/**
 * Runs the hooks of a call, and finds what they changed in the files that the call writes. Skips files above 1 MB: an
 * agent has to read those again.
 */
export async function findHookChanges<T>(
  event: HookChange["event"],
  paths: readonly string[],
  runHooks: () => Promise<T>,
): Promise<{ readonly said: T; readonly changes: HookChange[] }> {
  const before = new Map((await readAll(paths)).map((file) => [file.path, file]));
  const said = await runHooks();
  const changes: HookChange[] = [];
  for (const now of await readAll([...before.keys()])) {
    const old = before.get(now.path);
    if (old === undefined || isSame(old.stats, now.stats)) continue;
    const { size, mtimeMs, ino: inode } = old.stats;
    const entry = knownEntry(now.path, now.stats, now.bytes);
    changes.push({ event, before: { size, mtimeMs, inode }, now: entry, diff: await diffOf(old, now) });
  }
  return { said, changes };
}

/** Returns the files that a call is about to write, as far as its input names them. */
export function writesIn(tool: KnownTool, input: unknown, cwd: string): string[] {
  const claim = tool.prepare(input);
  if (claim.type === "invalid") return [];
  return claim.accesses(cwd).flatMap(({ kind, target }) => (kind === "write" ? [target] : []));
}

/** Reads those that exist and can be read, by their real paths. */
async function readAll(paths: readonly string[]): Promise<FileNow[]> {
  const files: FileNow[] = [];
  for (const path of paths) {
    const found = await openRegular(path);
    if (found.type === "unusable") continue;
    try {
      if (found.stats.size > WHOLE_DIGEST_BYTES) continue;
      files.push({ path: found.path, stats: found.stats, bytes: await found.file.readFile() });
    } catch {
      // Nothing is known of a file that cannot be read.
    } finally {
      found.file.close();
    }
  }
  return files;
}

function isSame(before: Stats, now: Stats): boolean {
  return before.size === now.size && before.mtimeMs === now.mtimeMs && before.ino === now.ino;
}

/** Returns an empty text if the file's content is the same. */
async function diffOf(before: FileNow, now: FileNow): Promise<string> {
  if (before.bytes.equals(now.bytes)) return "";
  const [old = "", text = ""] = [before, now].map(({ bytes }) => plainText(bytes.toString("utf8")));
  return (await diffLines(old, text)) || "[only line ends or control characters]";
}

/** Returns what changed between two texts, line by line as `diff -U0` writes it; empty if they have the same lines. */
async function diffLines(before: string, after: string): Promise<string> {
  const all = (await findHunks(before, after, 0)).flatMap(formatHunk);
  const shown: string[] = [];
  let room = DIFF.chars;
  for (const line of all) {
    room -= line.length + 1;
    if (shown.length === DIFF.lines || room < 0) break;
    shown.push(line);
  }
  const more = all.length - shown.length;
  return [...shown, ...(more === 0 ? [] : [`[and ${more} more lines of this diff]`])].join("\n");
}

function formatHunk({ oldStart, oldLines, newStart, newLines, lines }: DiffHunk): string[] {
  return [`@@ -${rangeOf(oldStart, oldLines)} +${rangeOf(newStart, newLines)} @@`, ...lines];
}

/** A part without lines is named by the line before it. */
function rangeOf(start: number, count: number): string {
  return count === 1 ? `${start}` : `${count === 0 ? start - 1 : start},${count}`;
}
