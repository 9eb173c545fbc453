import { lstatSync, readlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** More links than this one after the other are a circle. */
const MAX_LINKS = 40;

/** No system opens a longer path. */
const MAX_PATH = 8192;

/** Spellings that another system or the kernel reads in its own way; nothing is granted to them (§4.2). */
const ODD: readonly (readonly [RegExp, string])[] = [
  [/^$/, "it is empty"],
  [/^(?:\\\\|\/\/)/, "it is spelt like a network share"],
  [/^[A-Za-z]:/, "it is spelt like a drive"],
  [/^[A-Za-z][A-Za-z0-9+.-]*:\/\//, "it is spelt like a URL"],
];
const BY_PROCESS = /^\/(?:proc\/(?:.*\/)?(?:root|cwd|fd|exe|map_files)(?:\/|$)|dev\/fd\/)/;

/** Links that may still be followed one by one, for a path as a whole; below nothing it is a circle. */
interface Links {
  left: number;
  /** Real paths that were found before. */
  readonly reals: Map<string, string>;
}

export interface Candidates {
  /** Every path that may be meant; never empty. */
  readonly paths: readonly string[];
  /** Why none of them can be granted; null where nothing is odd. */
  readonly odd: string | null;
}

/**
 * What a path may mean (§4.1): as it is written, where its links lead, and where they lead when `..` is taken
 * after them. `reals` is what was found for others of the same decision.
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
    ? "it leads through a process's own folders"
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
  // What a link says may itself go up after a link.
  const real =
    target === null
      ? inReal
      : physical(target.startsWith("/") ? target : `${dirname(inReal)}/${target}`, links);
  // In a circle nothing is known for sure.
  if (links.left >= 0) links.reals.set(path, real);
  return real;
}

/** `..` as the kernel takes it: from where the link led. */
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
    // Asking first is cheaper than an exception for what is no link.
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    // A name that is too long, a directory that may not be read.
    return null;
  }
}

/** Whether a path is a folder or lies in it, by path component. */
export function holds(folder: string, path: string): boolean {
  return path === folder || folder === "/" || path.startsWith(`${folder}/`);
}
