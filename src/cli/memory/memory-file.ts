import { dirname } from "node:path";
import type { Files } from "../../context/files.ts";
import {
  type MemoryPath,
  type MemorySearch,
  memoryPaths,
  projectOf,
} from "../../context/memory/memory-paths.ts";

/** Whose memory a person adds to; the organisation's is not theirs to write. */
export const memoryOwners = ["project", "user", "local"] as const;
export type MemoryOwner = (typeof memoryOwners)[number];

export interface MemoryTarget {
  readonly path: string;
  /** No link of a project's may lead out of this folder; null: the person's own may lead anywhere. */
  readonly reach: string | null;
}

type Where = Pick<MemorySearch, "cwd" | "homedir" | "home" | "managed">;

/** The file that is there, the nearest one of a project; else the one that people would make. */
export function memoryTarget(owner: MemoryOwner, where: Where, files: Files): MemoryTarget {
  const project = projectOf(where.cwd, files);
  const places = memoryPaths(where, project).filter(({ scope, above }) => scope === owner && !above);
  // They are told with the nearest folder last; within one folder the first is a tool's own.
  const folders = [...new Set(places.map(({ path }) => folderOf(path)))];
  const nearest = owner === "user" ? folders : folders.toReversed();
  const inOrder = nearest.flatMap((folder) => places.filter(({ path }) => folderOf(path) === folder));
  const there = inOrder.find(({ path }) => files.look(path).type !== "none");
  const place: MemoryPath | undefined = there ?? inOrder[0];
  if (place === undefined) throw new Error("There is no place for a memory file here.");
  return { path: place.path, reach: owner === "user" ? null : place.reach };
}

/** Of `.claude/CLAUDE.md` it is the folder that this one stands in. */
function folderOf(path: string): string {
  const folder = dirname(path);
  return folder.endsWith("/.claude") ? dirname(folder) : folder;
}
