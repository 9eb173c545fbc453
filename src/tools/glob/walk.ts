import { type Dirent, readdirSync, statSync } from "node:fs";
import { type IgnoreRules, ignoreRulesIn, isIgnored, VCS_DIRS } from "./git-ignore.ts";
import type { GlobBase } from "./glob-bases.ts";

/** Entries after which others may have a turn: the message that stops the agent comes in between. */
const ENTRIES_PER_TURN = 2_000;

interface OpenDir {
  readonly path: string;
  readonly names: readonly string[];
  /** What git ignores is not looked at; null if everything is. */
  readonly rules: IgnoreRules | null;
}

/**
 * Adds the files of a tree that fit, with the time of their last change. Symbolic links are not followed, and directories
 * that cannot be read are passed over. Synchronous calls: through the thread pool the same takes three times as long.
 */
export async function findFiles(
  { dir, glob }: GlobBase,
  found: Map<string, number>,
  signal: AbortSignal,
): Promise<void> {
  // An ignored directory that is named was meant.
  const rules = isIgnored(dir) ? null : ignoreRulesIn(dir);
  const open: OpenDir[] = [{ path: dir, names: [], rules }];
  const skipped: ReadonlySet<string> = new Set(VCS_DIRS);
  let looked = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const entry of entriesOf(at.path)) {
      looked += 1;
      if (looked % ENTRIES_PER_TURN === 0) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
      }
      if (skipped.has(entry.name)) continue;
      const path = at.path === "/" ? `/${entry.name}` : `${at.path}/${entry.name}`;
      const names = [...at.names, entry.name];
      if (entry.isDirectory()) {
        if (glob.mayFitBelow(names) && !at.rules?.ignores(path, true))
          open.push({ path, names, rules: at.rules?.within(path) ?? null });
      } else if (entry.isFile() && glob.fits(names) && !at.rules?.ignores(path, false))
        found.set(path, changedAt(path));
    }
  }
}

function entriesOf(dir: string): Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Returns when a file was last changed; one that was just deleted still fits, and is listed last. */
export function changedAt(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    return 0;
  }
}
