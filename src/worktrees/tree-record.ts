import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { parseJson } from "../lib/json.ts";
import { unlessMissing } from "../lib/on-disk.ts";
import { Worktree, WorktreeResult } from "../mailbox/worktree.ts";
import type { GitEnvironment } from "./environment.ts";
import { ourFolder, TREE_NAME, treeRecordFolder } from "./layout.ts";
import { Dependencies, Owner } from "./protocol.ts";

/** The record of a worktree in `owner.json`: written before the worktree exists, kept after its removal. */
export const TreeRecord = z.object({
  owner: Owner,
  tree: Worktree,
  /** When it was complete, or else when its creation started; milliseconds since 1970. */
  at: z.number(),
  /** False while it is being made, when no agent has worked in it. */
  made: z.boolean(),
  /** The process that makes it: if that is dead and `made` is false, the worktree must be discarded. */
  maker: z.object({ pid: z.number(), startedAt: z.nullable(z.string()) }),
  /**
   * Paths in the worktree, with `/`, that were copied or linked from the checkout and that git does not ignore there:
   * the pattern `node_modules/` does not match a link `node_modules`. Snapshots leave them out.
   */
  linked: z.array(z.string()),
  /** Its files were chosen to leave this machine: its base has no untracked file with a secret. */
  travels: z.optional(z.literal(true)),
  /**
   * It has no directory and no branch yet, only a ref on its base: it is made when its agent's first edits arrive. With what it
   * is made from then.
   */
  deferred: z.optional(z.object({ dependencies: Dependencies })),
  /** The outcome of its edits; null until there is one. */
  result: z.nullable(WorktreeResult.shape.outcome),
});
export type TreeRecord = z.infer<typeof TreeRecord>;

const FILE = "owner.json";

/** Returns null if there is no readable record: then nothing is known, and nothing may be removed. */
export async function readRecord(common: string, name: string): Promise<TreeRecord | null> {
  return readJsonFile(TreeRecord, join(treeRecordFolder(common, name), FILE));
}

/** Writes atomically; on disk when it resolves. */
export async function writeRecord(common: string, name: string, record: TreeRecord): Promise<void> {
  const folder = treeRecordFolder(common, name);
  await mkdir(folder, { recursive: true });
  const own = join(folder, `${FILE}.${process.pid}`);
  try {
    const file = await open(own, "w", 0o600);
    try {
      await file.writeFile(JSON.stringify(record, null, 2));
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(own, join(folder, FILE));
  } catch (error) {
    await rm(own, { force: true });
    throw error;
  }
}

/** True if its directory has nothing but what a dead process was writing. */
export async function wasNeverWritten(
  common: string,
  name: string,
  ground: GitEnvironment,
): Promise<boolean> {
  const names = unlessMissing(() => readdirSync(treeRecordFolder(common, name)), null);
  return (
    names?.every((file) => {
      const pid = Number(file.startsWith(`${FILE}.`) ? file.slice(FILE.length + 1) : 0);
      return pid > 0 && !ground.isAlive({ pid, startedAt: null });
    }) ?? false
  );
}

/** Records that its edits are in the checkout. */
export async function noteMerged(common: string, name: string): Promise<void> {
  const known = await readRecord(common, name);
  if (known !== null) await writeRecord(common, name, { ...known, result: "merged" });
}

/** Returns the names that have a record directory, readable or not, sorted. */
export async function recordedNames(common: string): Promise<string[]> {
  const names = unlessMissing(() => readdirSync(join(ourFolder(common), "trees")), []);
  return names.filter((name) => TREE_NAME.test(name)).sort();
}

/** Marks a removal: from now on files may be missing, so no operation reads them, and the next one finishes it. */
export function markRemoval(common: string, name: string, commit: string): void {
  mkdirSync(treeRecordFolder(common, name), { recursive: true });
  writeFileSync(markOf(common, name), commit);
}

export function isBeingRemoved(common: string, name: string): boolean {
  return existsSync(markOf(common, name));
}

function markOf(common: string, name: string): string {
  return join(treeRecordFolder(common, name), "removing");
}

export function unmarkRemoval(common: string, name: string): void {
  rmSync(markOf(common, name), { force: true });
}

/**
 * Returns what a file says; null if it is missing, or does not fit the schema. Throws if it cannot be read: then nothing is
 * known of what it says.
 */
export function readJsonFile<T>(schema: z.ZodMiniType<T>, path: string): T | null {
  const text = unlessMissing(() => readFileSync(path, "utf8"), null);
  return text === null ? null : (z.safeParse(schema, parseJson(text)).data ?? null);
}
