import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../lib/errors.ts";
import type { Tree } from "../mailbox/worktree.ts";
import { treeRecordFolder, treesFolder } from "./layout.ts";

/**
 * Folders of merged files that were to be shown in a tree, and that a death left before any of them was. The one that
 * `shown.json` names has the agent's own files. Only under the tree's lock.
 */
export function dropShownLeftovers(common: string, { name, checkout }: Tree): void {
  const shown = textOf(join(treeRecordFolder(common, name), "shown.json"));
  for (const folder of [treeRecordFolder(common, name), treesFolder(checkout)])
    for (const file of namesIn(folder))
      if (file.startsWith(`.shown-${name}-`) && !shown.includes(file))
        rmSync(join(folder, file), { recursive: true, force: true });
}

/** All of it, with the tree: what was its own is in its snapshots. */
export function forgetShownFiles(common: string, tree: Tree): void {
  for (const file of ["shown.json", "shown.json.new"])
    rmSync(join(treeRecordFolder(common, tree.name), file), { force: true });
  dropShownLeftovers(common, tree);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}
