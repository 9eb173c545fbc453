import { posix } from "node:path";
import type { RawChange } from "../changes.ts";
import type { Git } from "../git.ts";
import { chunks } from "../side-index.ts";

const LINK = "120000";
const PARALLEL = 8;
/** The longest path that systems allow. */
const MAX_TARGET_BYTES = 4096;

/** Returns the new symbolic links that lead out of the worktree, or into git's own files. */
export async function outwardLinks(run: Git["run"], changes: readonly RawChange[]): Promise<string[]> {
  const found: string[] = [];
  const links = changes.filter(({ newMode }) => newMode === LINK);
  for (const some of chunks(links, PARALLEL))
    await Promise.all(
      some.map(async ({ path, newId }) => {
        const { code, out } = await run(["cat-file", "blob", newId], { mostBytes: MAX_TARGET_BYTES });
        if (code !== 0 || leadsOut(path, out)) found.push(path);
      }),
    );
  return found;
}

function leadsOut(path: string, target: string): boolean {
  if (posix.isAbsolute(target) || target.includes("\0")) return true;
  const names = posix.join(posix.dirname(path), target).split("/");
  return names.some((name) => name === ".." || name.toLowerCase() === ".git");
}
