import { basename, dirname, isAbsolute, parse, resolve } from "node:path";
import { expandBraces, type Glob, globOf } from "../../lib/globs.ts";

/** A directory to walk down from, and what to find there. */
export interface GlobBase {
  readonly dir: string;
  readonly glob: Glob;
}

export type GlobBases =
  | { readonly type: "bases"; readonly bases: readonly GlobBase[] }
  /** A sentence for the author of the pattern. */
  | { readonly type: "refused"; readonly reason: string };

/** Directories that one call may start from. */
const MAX_BASES = 32;

/**
 * Takes the plain names at the beginning of each alternative into the directory, so that `/abs/**`, `../x/*` and
 * `{../x,src}/*` start where they say and no more is walked than they ask for. A walk goes only down, so these
 * directories are all that is looked at.
 */
export function globBases(dir: string, pattern: string): GlobBases {
  const expanded = expandBraces(pattern);
  if (expanded.type === "refused") return expanded;
  const ways = expanded.patterns.map((way) => splitPlain(dir, way));
  const away = ways.find(({ rest }) => rest.split("/").includes(".."));
  if (away !== undefined)
    return {
      type: "refused",
      reason: `.. can lead elsewhere only before the first wildcard of pattern, not in ${JSON.stringify(away.rest)}. Give that place as path.`,
    };
  const starts = Map.groupBy(ways, ({ start }) => start);
  if (starts.size > MAX_BASES)
    return {
      type: "refused",
      reason: `the braces of pattern lead to more than ${MAX_BASES} places. Search them one after the other.`,
    };
  return {
    type: "bases",
    bases: [...starts].map(([start, same]) => ({ dir: start, glob: globOf(same.map(({ rest }) => rest)) })),
  };
}

function splitPlain(dir: string, written: string): { readonly start: string; readonly rest: string } {
  const pattern = written.replace(/\/(?:\.?\/)+/g, "/").replace(/^(?:\.\/)+(?=.)/, "");
  const root = isAbsolute(pattern) ? parse(pattern).root : "";
  const parts = pattern.slice(root.length).split("/");
  const firstMagic = parts.findIndex((part) => /[*?[\\]/.test(part));
  const from = root === "" ? dir : root;
  if (firstMagic >= 0)
    return {
      start: resolve(from, parts.slice(0, firstMagic).join("/")),
      rest: parts.slice(firstMagic).join("/"),
    };
  const named = resolve(from, parts.join("/"));
  return { start: dirname(named), rest: escapeGlob(basename(named)) };
}

function escapeGlob(name: string): string {
  return name.replace(/[*?[\\]/g, "\\$&");
}
