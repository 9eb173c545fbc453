import { accessSync, constants, lstatSync, realpathSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../lib/errors.ts";
import type { Access } from "../mailbox/messages.ts";
import { isPathInside, resolvePath } from "./paths.ts";
import { irregular, type Unusable } from "./regular-file.ts";
import type { AgentCallContext } from "./tool.ts";
import { writeError } from "./write-error.ts";

/** Where a write goes: a real folder, names of folders still to be made in it, and the file's own name. */
export interface WritePlace {
  readonly type: "place";
  /** The file's real path. */
  readonly path: string;
  /** The deepest folder that exists, as a real path. */
  readonly folder: string;
  readonly below: readonly string[];
  readonly name: string;
  /** What is there now; null: nothing. */
  readonly existing: Stats | null;
}

/** What a call that writes touches: the path as it was said, and the real one where that is another. */
export function writeAccesses(cwd: string, path: string): Access[] {
  const said = resolvePath(cwd, path);
  const { folder, below } = deepestReal(said);
  const real = join(folder, ...below);
  return [...new Set([said, real])].map((target) => ({ kind: "write", target }));
}

/**
 * Resolves the path to write to through its links. A link that leads from inside the workspace to outside is
 * refused also where the gate let the call pass: it may have been made since (fault 48). A path outside that
 * was said openly is the gate's business.
 */
export function writePlace(
  said: string,
  { root, additionalDirs }: Pick<AgentCallContext, "root" | "additionalDirs">,
): WritePlace | Unusable {
  try {
    const { folder: deepest, below: rest } = deepestReal(said);
    if (isLink(deepest))
      return unusable(
        `${said} was not written: ${deepest} is a link that leads nowhere. Make what it names, or write elsewhere.`,
      );
    const path = join(deepest, ...rest);
    const folders = [root, ...additionalDirs].flatMap(bothNames);
    const inside = (candidate: string) => folders.some((folder) => isPathInside(folder, candidate));
    if (inside(said) && !inside(path))
      return unusable(
        `${said} leads out of the workspace, to ${path}, through a symbolic link. Not written: name the file itself, if that is meant.`,
      );
    const existing = rest.length === 0 ? lstatSync(path) : null;
    if (existing) {
      const complaint = irregular(path, existing);
      if (complaint !== null) return unusable(complaint);
      accessSync(path, constants.W_OK);
    }
    const names = existing ? [basename(path)] : rest;
    const folder = existing ? dirname(path) : deepest;
    return { type: "place", path, folder, below: names.slice(0, -1), name: names.at(-1) ?? "", existing };
  } catch (error) {
    return unusable(writeError(said, error));
  }
}

/** The real path of the deepest part that exists, and the names after it. A link to nothing ends the way. */
function deepestReal(path: string): { folder: string; below: string[] } {
  const below: string[] = [];
  for (let part = path; ; part = dirname(part)) {
    try {
      return { folder: realpathSync.native(part), below };
    } catch (error) {
      if (errorCode(error) !== "ENOENT" || part === dirname(part) || isLink(part))
        return { folder: part, below };
    }
    below.unshift(basename(part));
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function bothNames(folder: string): string[] {
  const { folder: real, below } = deepestReal(folder);
  return [folder, join(real, ...below)];
}

function unusable(reason: string): Unusable {
  return { type: "unusable", reason };
}
