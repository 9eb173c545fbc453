import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import type { Conflict, Worktree } from "../../mailbox/worktree.ts";
import type { Repository } from "../environment.ts";
import { readJsonFile } from "../json-file.ts";
import { treeRecordFolder } from "../layout.ts";
import { marksOf } from "./marked-lines.ts";
import { textIn } from "./merge-tree.ts";

/** The files that got marks when a conflict went back to its owner, and the name in the marks. */
const Marked = z.object({ name: z.string(), paths: z.array(z.string()) });
type Marked = z.infer<typeof Marked>;

export function rememberMarked(common: string, tree: Worktree, marked: Marked): void {
  const file = markedFile(common, tree);
  if (marked.paths.length === 0) rmSync(file, { force: true });
  else {
    mkdirSync(treeRecordFolder(common, tree.name), { recursive: true });
    writeFileSync(file, JSON.stringify(marked));
  }
}

/**
 * Returns the files in which the owner left marks: both sides of a conflict are not a result. `root`: the agent's
 * worktree.
 */
export async function unresolved(repo: Repository, tree: Worktree, root: string): Promise<Conflict[]> {
  const marked = readJsonFile(Marked, markedFile(repo.common, tree));
  const open: Conflict[] = [];
  for (const path of marked?.paths ?? []) {
    const lines = marksOf((await textIn(repo.git, root, path)) ?? "", marked?.name ?? "");
    if (lines.length > 0) open.push({ path, kind: "unresolved", lines });
  }
  return open;
}

function markedFile(common: string, { name }: Worktree): string {
  return join(treeRecordFolder(common, name), "marked.json");
}
