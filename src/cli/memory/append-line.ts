import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readFile, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errorMessage } from "../../lib/errors.ts";
import { isPathInside } from "../../lib/paths.ts";
import type { MemoryTarget } from "./memory-file.ts";

export type Appended =
  | { readonly type: "appended"; readonly created: boolean; readonly bytes: number }
  /** `reason` is a sentence. */
  | { readonly type: "refused"; readonly reason: string };

/** An editor that saves at the same moment may put another file in its place; nobody does so for ever. */
const MOST_TRIES = 3;

/**
 * Adds lines to the end of a text file, which is made where it is missing. What others write meanwhile stays: nothing
 * is read and written back, and a file that was replaced during the write gets the lines, too.
 */
export async function appendLine({ path, reach }: MemoryTarget, text: string): Promise<Appended> {
  try {
    await mkdir(dirname(path), { recursive: true });
    const real = await whereItIs(path);
    if (real === null) return refused(`${path} is a link that leads nowhere; repair it first.`);
    if (reach !== null && !isPathInside(real, await realpath(reach)))
      return refused(`${path} leads out of ${reach} through a link, so nothing was added to it.`);
    for (let tries = 1; ; tries++) {
      const written = await appended(real, text);
      if (written.type === "refused") return refused(`${path} ${written.reason}`);
      // Whoever replaced it may have read these lines before.
      if (written.stays || (await readFile(real, "utf8").catch(() => "")).includes(text)) return written;
      if (tries === MOST_TRIES)
        return refused(`${path} is being replaced by something else all the time; try again.`);
    }
  } catch (error) {
    const why = errorMessage(error);
    return refused(`${path} could not be written (${why}).`);
  }
}

/** Of what is not there yet the folder counts; null: a link without an end. */
async function whereItIs(path: string): Promise<string | null> {
  const real = await realpath(path).catch(() => null);
  if (real !== null) return real;
  if ((await lstat(path).catch(() => null)) !== null) return null;
  return `${await realpath(dirname(path))}${path.slice(dirname(path).length)}`;
}

type Written =
  | { readonly type: "appended"; readonly created: boolean; readonly bytes: number; readonly stays: boolean }
  | { readonly type: "refused"; readonly reason: string };

async function appended(path: string, text: string): Promise<Written> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  // Not blocking: a pipe without a reader would hold the thread for ever.
  const file = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW, 0o644);
  try {
    const before = await file.stat();
    if (!before.isFile())
      return { type: "refused", reason: "is no regular file, so nothing was added to it." };
    const { start, newline } = await endingOf(file, before.size);
    const bytes = Buffer.from(`${start}${text.replaceAll("\n", newline)}${newline}`);
    await file.write(bytes);
    await file.sync();
    const now = await stat(path).catch(() => null);
    const stays = now !== null && now.ino === before.ino && now.dev === before.dev;
    return { type: "appended", created: before.size === 0, bytes: before.size + bytes.length, stays };
  } finally {
    await file.close();
  }
}

/** What has to come before a new line, and how this file ends its lines. */
async function endingOf(
  file: FileHandle,
  size: number,
): Promise<{ readonly start: string; readonly newline: string }> {
  if (size === 0) return { start: "", newline: "\n" };
  const length = Math.min(2, size);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
  const end = buffer.toString("latin1");
  return end.endsWith("\n")
    ? { start: "", newline: end === "\r\n" ? "\r\n" : "\n" }
    : { start: "\n", newline: "\n" };
}

function refused(reason: string): { readonly type: "refused"; readonly reason: string } {
  return { type: "refused", reason };
}
