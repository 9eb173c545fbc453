import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorMessage } from "../lib/errors.ts";

/**
 * Puts a text in a file's place as a whole: a temporary file beside it, synced, renamed over it, the folder
 * synced; a kill at any moment leaves the old or the new one (fault 39). The folder is made where it is
 * missing, for this user only. Keeps the file's mode, else `mode`. Refused, with a sentence, where something
 * else is in its place: a link is followed by nobody here.
 */
export async function replaceFile(path: string, text: string, mode: number): Promise<string | null> {
  const folder = dirname(path);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const old = await lstat(path).catch(() => null);
    if (old !== null && !old.isFile())
      return `${path} is not a regular file, so it was not written; move it away.`;
    await writeBeside(path, text, old === null ? mode : old.mode & 0o777);
    await syncFolder(folder);
    return null;
  } catch (error) {
    return `${path} could not be written (${errorMessage(error)}); nothing in it was changed.`;
  }
}

async function writeBeside(path: string, text: string, mode: number): Promise<void> {
  const temporary = join(dirname(path), `.troupe-${randomUUID()}.tmp`);
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | (constants.O_NOFOLLOW ?? 0), 0o600);
  try {
    await fill(file, text, mode).finally(() => file.close());
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

async function fill(file: FileHandle, text: string, mode: number): Promise<void> {
  // The umask takes bits away from what open() is told.
  await file.chmod(mode);
  await file.writeFile(text);
  await file.sync();
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY);
  await folder.sync().finally(() => folder.close());
}
