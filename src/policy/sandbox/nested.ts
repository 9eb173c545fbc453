import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { protectedName } from "../protected-paths.ts";

/** Levels below the root that are looked into; what lies deeper is rarely configuration, and walking it is dear. */
const DEPTH = 3;
/** A tree that is wider is looked at in part: the top levels first. */
const MOST_FOLDERS = 5_000;
/** Every one costs a mount, and the system takes some thousands. */
const MOST_FOUND = 500;

const NOT_ENTERED: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/**
 * What is protected (permission-semantics 4.4) and exists in the folder: whole folders and files, of a repository
 * its hooks and its configuration, of a worktree or a submodule the file that says where its repository lies.
 */
export function nestedProtected(root: string): string[] {
  const found: string[] = [];
  let level = [root];
  let looked = 0;
  for (let depth = 0; depth <= DEPTH && level.length > 0; depth++) {
    const below: string[] = [];
    for (const folder of level) {
      if (++looked > MOST_FOLDERS || found.length >= MOST_FOUND) return found;
      const entries = entriesOf(folder);
      // What cannot be looked into is held whole: a command that owns it could give itself the right.
      if (entries === null) found.push(folder);
      for (const entry of entries ?? []) {
        const path = join(folder, entry.name);
        const denied = deniedAt(path, root, entry);
        found.push(...denied);
        if (denied.length === 0 && entry.isDirectory() && !NOT_ENTERED.has(entry.name)) below.push(path);
      }
    }
    level = below;
  }
  return found;
}

/** Of a repository's own folder: objects, refs and index are what git is for. Submodules keep theirs below it. */
export function ofRepository(folder: string): string[] {
  const modules = (entriesOf(join(folder, "modules")) ?? []).map(({ name }) => join(folder, "modules", name));
  return [folder, ...modules].flatMap((each) => [join(each, "hooks"), join(each, "config")]);
}

function deniedAt(path: string, root: string, entry: Dirent): string[] {
  // The root's own way is not asked: a worktree in `.claude/worktrees` is an ordinary checkout.
  const name = protectedName(path.slice(root.length));
  if (name === null) return [];
  if (name === ".git" && entry.isDirectory()) return ofRepository(path);
  return [path];
}

/** Null: it may not be listed. */
function entriesOf(folder: string): Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    return code === "EACCES" || code === "EPERM" ? null : [];
  }
}
