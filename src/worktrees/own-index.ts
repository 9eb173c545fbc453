import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { GitEnvironment, Repository } from "./environment.ts";
import { ourFolder } from "./layout.ts";

/** Runs work with a temporary index file and removes it after that. */
export async function withIndex<T>(
  { common }: Pick<Repository, "common">,
  ground: GitEnvironment,
  work: (index: string) => Promise<T>,
): Promise<T> {
  mkdirSync(ourFolder(common), { recursive: true });
  const index = join(ourFolder(common), `merge-${ground.self.pid}-${ground.id()}`);
  try {
    return await work(index);
  } finally {
    for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
  }
}
