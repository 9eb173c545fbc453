import { mkdtempSync, readlinkSync, rmSync } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "./process-identity.ts";

/** Their names: what they are for, where pids are counted, and the pid of their process. */
const OURS = /^troupe-[a-z]+-(\w+)-(\d+)-\w{6}$/;

/** Uses a new temporary directory, which is removed afterwards. */
export async function inTemporaryFolder<T>(use: string, act: (folder: string) => Promise<T>): Promise<T> {
  const folder = makeTemporaryFolder(use);
  try {
    return await act(folder);
  } finally {
    // A few files at most: the asynchronous one takes five times as long for them.
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes a temporary directory, which a later process removes if this one is killed. */
export function makeTemporaryFolder(use: string): string {
  return mkdtempSync(join(tmpdir(), `troupe-${use}-${pidSpace()}-${process.pid}-`));
}

/** Removes what killed processes of this user have left. Never rejects. */
export async function sweepTemporaryFolders(): Promise<void> {
  const space = pidSpace();
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, where, pid] = OURS.exec(name) ?? [];
    if (where !== space || isAlive({ pid: Number(pid), startedAt: null })) continue;
    const path = join(tmpdir(), name);
    const found = await lstat(path).catch(() => null);
    // Another user could replace its parts by links while they are removed.
    if (!found?.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid)) continue;
    await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

/** Containers that share a directory do not see each other's processes. */
function pidSpace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid").replace(/\W/g, "");
  } catch {
    return "here";
  }
}
