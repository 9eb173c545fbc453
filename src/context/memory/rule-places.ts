import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { isPathInside, type MemoryPlace, type MemorySearch, upwards } from "./places.ts";

const FOLDER = join(".claude", "rules");
const MOST_FILES = 200;
const MOST_ENTRIES = 500;
const MOST_DEPTH = 5;

/** The files of rules there are: the person's own, then the project's from the outside in. */
export function rulePlaces(
  { cwd, homedir }: Pick<MemorySearch, "cwd" | "homedir">,
  project: string,
): MemoryPlace[] {
  const folders = upwards(cwd).filter((folder) => isPathInside(folder, project) && folder !== homedir);
  const user = filesBelow(join(homedir, FOLDER)).map((path) => ({
    ...{ scope: "user" as const, path, reach: "/", above: false, ruleOf: project },
  }));
  const own = folders.toReversed().flatMap((folder) =>
    filesBelow(join(folder, FOLDER)).map((path) => ({
      ...{ scope: "project" as const, path, reach: project, above: false, ruleOf: folder },
    })),
  );
  return [...user, ...own];
}

/** Whatever stands there, this ends soon; links are followed as far as they may lead when a file is read. */
function filesBelow(folder: string): string[] {
  const found: string[] = [];
  const visit = (at: string, depth: number): void => {
    for (const { name, path, isFile } of entriesOf(at)) {
      if (found.length >= MOST_FILES) return;
      if (/\.md$/i.test(name)) found.push(path);
      else if (!isFile && depth < MOST_DEPTH) visit(path, depth + 1);
    }
  };
  visit(folder, 0);
  return found;
}

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly isFile: boolean;
}

/** In an order that is the same everywhere. */
function entriesOf(folder: string): Entry[] {
  try {
    const entries: Dirent[] = readdirSync(folder, { withFileTypes: true });
    return entries
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .slice(0, MOST_ENTRIES)
      .map((entry) => ({ name: entry.name, path: join(folder, entry.name), isFile: entry.isFile() }));
  } catch {
    // There is no such folder, or it is not ours to look into: then there are no rules in it.
    return [];
  }
}
