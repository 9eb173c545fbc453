import { type Dirent, readdirSync, statSync } from "node:fs";
import { sep } from "node:path";
import { VCS_FOLDERS } from "../vcs-folders.ts";
import type { State } from "./automaton.ts";
import type { IgnoreRules } from "./git-ignore.ts";
import type { Newest } from "./newest.ts";
import type { GlobPattern } from "./pattern.ts";

/** Entries after which others may have a turn: mail that stops the agent comes in between. */
const IN_ONE_GO = 2_000;

const LEFT_OUT: ReadonlySet<string> = new Set(VCS_FOLDERS);

export interface Search {
  readonly folder: string;
  readonly pattern: GlobPattern;
  /** What git ignores is not looked at; null: nothing is kept back. */
  readonly rules: IgnoreRules | null;
}

/**
 * Adds the files of a tree that match. Symbolic links are not followed, and folders that cannot be read are
 * passed over. One call of the file system after the other: this is the agent's own thread, and through the
 * pool the same takes three times as long.
 */
export async function findFiles(search: Search, found: Newest, signal: AbortSignal): Promise<void> {
  const { pattern } = search;
  const start = search.folder.endsWith(sep) ? search.folder : search.folder + sep;
  const open: Place[] = [{ path: start, state: pattern.start, rules: search.rules }];
  let looked = 0;
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const entries = entriesOf(place.path);
    const rules = place.path === start ? place.rules : rulesWithin(place, entries);
    for (const entry of entries) {
      looked += 1;
      if (looked % IN_ONE_GO === 0) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
      }
      const { name } = entry;
      if (name.startsWith(".") && LEFT_OUT.has(name)) continue;
      const path = place.path + name;
      if (entry.isDirectory()) {
        const state = pattern.enter(place.state, name);
        if (state === null || rules?.ignores(name, path, true)) continue;
        open.push({ path: path + sep, state, rules });
      } else if (entry.isFile()) {
        if (!pattern.matches(place.state, name) || rules?.ignores(name, path, false)) continue;
        found.add(path, changedAt(path));
      }
    }
  }
}

interface Place {
  /** With a slash at its end. */
  readonly path: string;
  readonly state: State;
  readonly rules: IgnoreRules | null;
}

function rulesWithin({ path, rules }: Place, entries: readonly Dirent[]): IgnoreRules | null {
  return rules !== null && entries.some(({ name }) => name === ".gitignore") ? rules.within(path) : rules;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** A file that is gone again was still a match; it is listed last. */
function changedAt(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    return 0;
  }
}
