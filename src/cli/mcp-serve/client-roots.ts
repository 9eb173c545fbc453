import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { isPathInside } from "../../lib/paths.ts";
import { visibleLine } from "../../terminal/visible-text.ts";
import { quoted } from "../usage-error.ts";

/** Of one client; it may list more. */
const MAX_ROOTS = 20;

export interface RootsContext {
  /** The session's directories. */
  readonly dirs: readonly string[];
  readonly homedir: string;
  note(line: string): void;
}

/** Returns the directories that a client's roots add, as `--add-dir` would. One that is not added is named in a note. */
export async function rootDirs(uris: readonly string[], context: RootsContext): Promise<readonly string[]> {
  const { dirs, homedir, note } = context;
  const added: string[] = [];
  if (uris.length > MAX_ROOTS)
    note(`The client has ${uris.length} roots; only the first ${MAX_ROOTS} are added.`);
  for (const uri of uris.slice(0, MAX_ROOTS)) {
    const path = pathOf(uri);
    if (path !== null && [...dirs, ...added].some((dir) => isPathInside(path, dir))) continue;
    const problem = await whyNotAdded(path, homedir);
    if (problem === null && path !== null) added.push(path);
    else note(`The client's root ${quoted(visibleLine(uri).slice(0, 200))} is not added: ${problem}.`);
  }
  return added;
}

async function whyNotAdded(path: string | null, homedir: string): Promise<string | null> {
  if (path === null) return "it is not a path of this machine";
  const isDir = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isDir) return "there is no such directory";
  // A client that has no project open names the whole disk or the whole home.
  return isPathInside(homedir, path) ? "your home directory is in it; --add-dir adds it all the same" : null;
}

function pathOf(uri: string): string | null {
  try {
    return fileURLToPath(uri);
  } catch {
    return null;
  }
}
