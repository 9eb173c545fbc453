import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { treeRecordFolder } from "./layout.ts";

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
