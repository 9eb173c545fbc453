import { lstatSync, readlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** A longer chain of links is a loop. */
const MAX_LINKS = 40;

/** No system opens a longer path. */
const MAX_PATH = 8192;

/** Spellings that another system or the kernel interprets differently; no rule allows them (§4.2). */
const ODD: readonly (readonly [RegExp, string])[] = [
  [/^$/, "it is empty"],
  [/^(?:\\\\|\/\/)/, "it is spelt like a network share"],
  [/^[A-Za-z]:/, "it is spelt like a drive"],
  [/^[A-Za-z][A-Za-z0-9+.-]*:\/\//, "it is spelt like a URL"],
];
const BY_PROCESS = /^\/(?:proc\/(?:.*\/)?(?:root|cwd|fd|exe|map_files)(?:\/|$)|dev\/fd\/)/;

/** How many links a path may still follow; below zero it is a loop. */
interface Links {
  left: number;
  /** Real paths found earlier. */
  readonly reals: Map<string, string>;
}

export interface Candidates {
  /** Every possible meaning; never empty. */
  readonly paths: readonly string[];
  /** Why none of them can be allowed, or null. */
  readonly odd: string | null;
}

/**
 * Returns the possible meanings of a path (§4.1): as written, with links resolved, and with links resolved before `..`.
 * `reals` caches results of the same decision.
 */
export function candidatesOf(
  path: string,
  folder: string,
  home: string,
  reals: Map<string, string> = new Map(),
): Candidates {
  const written = path === "~" || path.startsWith("~/") ? `${home}${path.slice(1)}` : path;
  const lexical = resolve(folder, written);
  const links: Links = { left: MAX_LINKS, reals };
  const paths = new Set([lexical, resolveLinks(lexical, links)]);
  if (/(?:^|\/)\.\.(?:\/|$)/.test(written)) {
    paths.add(physical(written.startsWith("/") ? written : `${folder}/${written}`, links));
  }
  const circle = links.left < 0 ? "its links lead in a circle" : null;
  return { paths: [...paths], odd: oddity(path, [...paths]) ?? circle };
}

function oddity(path: string, paths: readonly string[]): string | null {
  for (const [pattern, why] of ODD) if (pattern.test(path)) return why;
  if (path.length > MAX_PATH) return "it is longer than any path";
  return paths.some((one) => (one.startsWith("/proc/") || one.startsWith("/dev/")) && BY_PROCESS.test(one))
    ? "it leads through a process's own directories"
    : null;
}

/**
 * Returns the real path. For something missing, that of its deepest existing ancestor with the rest appended; a link to
 * something missing is followed, because writing to it would make what it names.
 */
export function realOf(path: string, reals: Map<string, string> = new Map()): string {
  return resolveLinks(path, { left: MAX_LINKS, reals });
}

function resolveLinks(path: string, links: Links): string {
  const known = links.reals.get(path);
  if (known !== undefined) return known;
  const parent = dirname(path);
  if (parent === path || path.length > MAX_PATH) return path;
  const inReal = join(resolveLinks(parent, links), basename(path));
  const target = linkTarget(inReal);
  if (target !== null) links.left -= 1;
  if (target !== null && links.left < 0) return inReal;
  // The target of a link may itself use `..` after a link.
  const real =
    target === null
      ? inReal
      : physical(target.startsWith("/") ? target : `${dirname(inReal)}/${target}`, links);
  // In a loop nothing is certain.
  if (links.left >= 0) links.reals.set(path, real);
  return real;
}

/** Resolves `..` like the kernel: from the target of the link. */
function physical(path: string, links: Links): string {
  let at = "/";
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    at = name === ".." ? dirname(resolveLinks(at, links)) : join(at, name);
  }
  return resolveLinks(at, links);
}

function linkTarget(path: string): string | null {
  try {
    // This check is cheaper than an exception for what is not a link.
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    // The name is too long, or the directory is unreadable.
    return null;
  }
}

/** True if a path is a directory or inside it, by path component. */
export function holds(folder: string, path: string): boolean {
  return path === folder || folder === "/" || path.startsWith(`${folder}/`);
}
