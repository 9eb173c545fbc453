import { constants, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "./paths.ts";

/**
 * A folder held open, so that what is named in it is in this very folder, whatever its path comes to mean
 * meanwhile. Node has no openat: on Linux the kernel's own name of an open folder does the same. Elsewhere the
 * path is used, and `isWhereItWas` right before a change is what is left.
 */
export interface HeldFolder {
  /** How to name something in it. */
  at(name: string): string;
  /** Whether the real path it was taken by still leads to it. Synchronous, to be the last thing before a change. */
  isWhereItWas(): boolean;
  /** Makes what was renamed in it survive a loss of power. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Why a folder was not taken: a link stands where a folder stood, or was asked for. */
export class FolderSwapped extends Error {
  override readonly name = "FolderSwapped";
}

const NO_LINKS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** `real` is a real path; `below` are names of folders under it, made where they are missing, never followed. */
export async function holdFolder(real: string, below: readonly string[]): Promise<HeldFolder> {
  if (process.platform === "win32") return byPath(join(real, ...below));
  let held = await byHandle(real, real);
  try {
    if (!held.isWhereItWas()) throw new FolderSwapped(`${real} is not where it was a moment ago`);
    let path = real;
    for (const name of below) {
      await mkdir(held.at(name)).catch((error: unknown) => {
        if (codeOf(error) !== "EEXIST") throw error;
      });
      path = join(path, name);
      const next = await byHandle(held.at(name), path);
      await held.close();
      held = next;
    }
    return held;
  } catch (error) {
    await held.close();
    throw error;
  }
}

async function byHandle(opened: string, path: string): Promise<HeldFolder> {
  const handle = await openFolder(opened, path);
  const isLinux = process.platform === "linux";
  const name = `/proc/self/fd/${handle.fd}`;
  const folder = isLinux ? name : path;
  const stats = await handle.stat();
  return {
    at: (name) => `${folder}/${name}`,
    isWhereItWas: () => (isLinux ? readlinkSync(name) === path : leadsTo(path, stats)),
    sync: () => handle.sync().catch(ignoreUnsyncable),
    close: () => handle.close(),
  };
}

async function openFolder(path: string, shown: string): Promise<FileHandle> {
  try {
    return await open(path, NO_LINKS);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ELOOP" || code === "ENOTDIR")
      throw new FolderSwapped(`${shown} is a link or a file where a folder should be`);
    throw error;
  }
}

function leadsTo(path: string, { dev, ino }: Stats): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  return realpathSync(path) === path && now?.dev === dev && now.ino === ino;
}

/** Some file systems sync no folders; their renames are as durable as they make them. */
function ignoreUnsyncable(error: unknown): void {
  const code = codeOf(error);
  if (code !== "EINVAL" && code !== "ENOTSUP") throw error;
}

/** Windows opens no folders. */
async function byPath(path: string): Promise<HeldFolder> {
  await mkdir(path, { recursive: true });
  return {
    at: (name) => join(path, name),
    isWhereItWas: () => realpathSync(path) === path,
    sync: async () => {},
    close: async () => {},
  };
}
