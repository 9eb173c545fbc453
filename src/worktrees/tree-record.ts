import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { isMissing } from "../lib/errors.ts";
import { Worktree, WorktreeResult } from "../mailbox/worktree.ts";
import type { GitEnvironment } from "./environment.ts";
import { ourFolder, TREE_NAME, treeRecordFolder } from "./layout.ts";
import { Owner } from "./requests.ts";

/** What is known of a tree, in `owner.json`: there before the tree is, and after it. */
export const TreeRecord = z.object({
  owner: Owner,
  tree: Worktree,
  /** Milliseconds since 1970: when it was complete, or when its making began as long as it is not. */
  at: z.number(),
  /** False while it is being made: nobody has worked in it. */
  made: z.boolean(),
  /** The process that makes it: where that is dead and `made` is false, it is to be taken back. */
  maker: z.object({ pid: z.number(), startedAt: z.nullable(z.string()) }),
  /**
   * Paths in the tree, with `/`, that came along from the checkout and that git does not ignore there: a link
   * `node_modules` is not matched by the pattern `node_modules/`. They are no edits: snapshots leave them out.
   */
  linked: z.array(z.string()),
  /** What became of its edits; null: nothing yet. */
  result: z.nullable(WorktreeResult.shape.outcome),
});
export type TreeRecord = z.infer<typeof TreeRecord>;

const FILE = "owner.json";

/** Null where there is none, or none that can be read: then nothing is known, which is no leave to remove anything. */
export async function readRecord(common: string, name: string): Promise<TreeRecord | null> {
  try {
    const text = await readFile(join(treeRecordFolder(common, name), FILE), "utf8");
    const record = z.safeParse(TreeRecord, JSON.parse(text));
    return record.success ? record.data : null;
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return null;
    throw error;
  }
}

/** Whole or not at all, and on the disk when it resolves. */
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

/** A folder for it is there, and all that is in it is what a dead process was just writing. */
export async function neverWritten(common: string, name: string, ground: GitEnvironment): Promise<boolean> {
  const names = await readdir(treeRecordFolder(common, name)).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  return (
    names?.every((file) => {
      const pid = Number(file.startsWith(`${FILE}.`) ? file.slice(FILE.length + 1) : 0);
      return pid > 0 && !ground.isAlive({ pid, startedAt: null });
    }) ?? false
  );
}

/** Its edits are in the checkout. */
export async function noteMerged(common: string, name: string): Promise<void> {
  const known = await readRecord(common, name);
  if (known !== null) await writeRecord(common, name, { ...known, result: "merged" });
}

/** Names that have a record folder, whether it can be read or not, in order. */
export async function recordedNames(common: string): Promise<string[]> {
  try {
    const names = await readdir(join(ourFolder(common), "trees"));
    return names.filter((name) => TREE_NAME.test(name)).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
