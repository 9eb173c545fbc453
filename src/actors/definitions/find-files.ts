import { type Dirent, readdirSync } from "node:fs";
import type { Files } from "../../context/files.ts";
import { isPathInside } from "../../context/memory/places.ts";
import type { AgentPlace } from "./search-paths.ts";

/** Of one folder of definitions: more than anybody has, and little to look through. */
const MOST_FILES = 2_000;
const MOST_ENTRIES = 20_000;
const MOST_DEPTH = 8;

export interface FoundDefinitions {
  readonly paths: readonly string[];
  /** What was left out, in sentences, each with the path it is about. */
  readonly left: readonly { readonly path: string; readonly message: string }[];
}

/**
 * The `.md` files below a folder, links followed, in an order that is the same everywhere. Whatever stands there (links
 * in a circle, pipes, thousands of files), this ends soon.
 */
export function filesBelow({ folder, reach }: AgentPlace, files: Files): FoundDefinitions {
  const paths: string[] = [];
  const left: { path: string; message: string }[] = [];
  const visited = new Set<string>();
  let entries = 0;

  function isFull(path: string): boolean {
    if (paths.length < MOST_FILES && entries < MOST_ENTRIES) return false;
    if (!left.some((one) => one.path === folder))
      left.push({
        path: folder,
        message: `There are more than ${MOST_FILES} definitions here; those from ${path} on were left out.`,
      });
    return true;
  }

  function visit(at: string, depth: number): void {
    const real = files.real(at);
    if (visited.has(real)) return;
    visited.add(real);
    for (const entry of inOrder(files.entries(at))) {
      // All of `join` would cost more than to look at what is there.
      const path = `${at}/${entry.name}`;
      entries += 1;
      if (isFull(path)) return;
      const kind = entry.isSymbolicLink() ? linked(path) : entry.isDirectory() ? "folder" : "file";
      if (kind === "folder") {
        if (depth < MOST_DEPTH) visit(path, depth + 1);
        else left.push({ path, message: `Definitions are read ${MOST_DEPTH} folders deep.` });
      } else if (kind === "file" && /\.md$/i.test(entry.name)) paths.push(path);
    }
  }

  function linked(path: string): "folder" | "file" | null {
    const real = files.real(path);
    if (reach !== null && !isPathInside(real, files.real(reach))) {
      left.push({ path, message: "This link leads out of the project, which is not trusted." });
      return null;
    }
    const look = files.look(path);
    if (look.type === "file") return "file";
    if (look.type === "unusable" && isFolder(path)) return "folder";
    return null;
  }

  if (reach === null || isPathInside(files.real(folder), files.real(reach))) visit(folder, 0);
  else left.push({ path: folder, message: "This link leads out of the project, which is not trusted." });
  return { paths, left };
}

function inOrder(entries: readonly Dirent[]): readonly Dirent[] {
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function isFolder(path: string): boolean {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}
