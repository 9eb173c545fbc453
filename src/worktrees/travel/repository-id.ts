import { hash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Repository } from "../environment.ts";
import { ourFolder } from "../layout.ts";
import { outputOf } from "../refusal.ts";

/**
 * Returns the name of a repository on every machine: a digest of its root commits. It is kept, because finding them
 * reads the whole history.
 */
export async function repositoryId(repo: Repository): Promise<string> {
  if (repo.head === null || isShallow(repo)) return digest(`without history ${repo.common}`);
  const file = join(ourFolder(repo.common), "repository-id");
  const kept = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (IS_ID.test(kept)) return kept;
  const roots = await repo.git.run(["rev-list", "--max-parents=0", repo.head]);
  const found = outputOf(roots, `The history of ${repo.top} could not be read`).trim().split("\n").sort();
  const id = digest(found.join("\n"));
  mkdirSync(ourFolder(repo.common), { recursive: true });
  writeFileSync(file, id);
  return id;
}

export const IS_ID = /^[0-9a-f]{40}$/;

function digest(text: string): string {
  return hash("sha256", text).slice(0, 40);
}

/** A clone without its whole history: commits of it cannot travel, only files. */
export function isShallow({ common }: Repository): boolean {
  return existsSync(join(common, "shallow"));
}
