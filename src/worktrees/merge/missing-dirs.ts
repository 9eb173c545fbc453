import { join } from "node:path";
import { lstatOf } from "./file-state.ts";
import type { FileExchange, FileMove } from "./moves.ts";
import { foldersOf } from "./names.ts";

/** Returns directories that are missing, or still files, outer ones first. */
export function missingDirs(top: string, moves: readonly FileMove[]): FileExchange["made"] {
  const wanted = moves.flatMap(({ path, after }) => (after === null ? [] : foldersOf(path)));
  return [...new Set(wanted)]
    .filter((folder) => lstatOf(join(top, folder))?.isDirectory() !== true)
    .sort((one, other) => one.split("/").length - other.split("/").length)
    .map((path) => ({ path, mode: null }));
}
