import { basename, dirname, isAbsolute, parse, resolve } from "node:path";
import { MAX_PATTERN_CHARS, tooLong } from "./globs/syntax.ts";

/** A pattern, and the folder it starts from. */
export interface GlobBase {
  readonly folder: string;
  readonly pattern: string;
}

export type GlobBases =
  | { readonly type: "bases"; readonly bases: readonly GlobBase[] }
  /** A sentence for whoever wrote the pattern. */
  | { readonly type: "refused"; readonly reason: string };

const MAGIC = /[*?[\]{}()!+@\\]/;
/** A way up, or one that begins at the root, in a place where only a walk could go. */
const LEADS_AWAY = /(?:^|[/{,(|])\.\.(?:$|[/},)|])|[{,(|]\//;
/** Places that one call may start from. */
const MAX_BASES = 32;

/**
 * Takes the plain folders in front of a pattern into the folder, so that `/abs/**` and `../x/*` start where
 * they say and no more is walked than they ask for. Where braces lead away, as in `{../x,src}/*`, each of their
 * ways has a place of its own: a walk goes only down, so that what is named here is all that is looked at.
 */
export function globBases(folder: string, pattern: string): GlobBases {
  if (pattern.length > MAX_PATTERN_CHARS) return refused(tooLong(pattern));
  const plain = pattern.replace(/\/(?:\.?\/)+/g, "/").replace(/^(?:\.\/)+(?=.)/, "");
  const one = globBase(folder, plain);
  if (!LEADS_AWAY.test(one.pattern)) return { type: "bases", bases: [one] };
  const ways = waysOf(plain, MAX_BASES);
  if (ways === null)
    return refused(
      `the braces of pattern lead to more than ${MAX_BASES} places. Search them one after the other.`,
    );
  const bases = ways.map((way) => globBase(folder, way));
  const wrong = bases.find((base) => LEADS_AWAY.test(base.pattern));
  if (wrong !== undefined)
    return refused(
      `.. and / can lead elsewhere only in front of the first wildcard of pattern, not in ${JSON.stringify(wrong.pattern)}. Give that place as path.`,
    );
  return { type: "bases", bases };
}

function refused(reason: string): GlobBases {
  return { type: "refused", reason };
}

function globBase(folder: string, pattern: string): GlobBase {
  const root = isAbsolute(pattern) ? parse(pattern).root : "";
  const parts = pattern.slice(root.length).split("/");
  const firstMagic = parts.findIndex((part) => MAGIC.test(part));
  const start = root === "" ? folder : root;
  if (firstMagic >= 0) {
    const plain = parts.slice(0, firstMagic).join("/");
    return { folder: resolve(start, plain), pattern: parts.slice(firstMagic).join("/") };
  }
  const named = resolve(start, parts.join("/"));
  return { folder: dirname(named), pattern: basename(named) };
}

/** The pattern for each way through its braces; null: there are more than `most`. */
function waysOf(pattern: string, most: number): string[] | null {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const braces = firstBraces(next);
    if (braces === null) done.push(next);
    else open.push(...braces);
    if (open.length + done.length > most) return null;
  }
  return done.reverse();
}

/** One pattern for each way through the first braces that have a comma; null: there are none. */
function firstBraces(pattern: string): string[] | null {
  for (let from = pattern.indexOf("{"); from >= 0; from = pattern.indexOf("{", from + 1)) {
    if (pattern[from - 1] === "\\") continue;
    const cuts = cutsFrom(pattern, from);
    if (cuts === null || cuts.length < 3) continue;
    const end = cuts.at(-1) ?? from;
    return cuts
      .slice(1)
      .map(
        (cut, at) =>
          pattern.slice(0, from) + pattern.slice((cuts[at] ?? from) + 1, cut) + pattern.slice(end + 1),
      );
  }
  return null;
}

/** Where the brace is, its own commas, and where it ends; null where it does not end. */
function cutsFrom(pattern: string, from: number): number[] | null {
  const cuts: number[] = [from];
  let depth = 0;
  for (let at = from; at < pattern.length; at++) {
    const sign = pattern[at];
    if (sign === "\\") at += 1;
    else if (sign === "{") depth += 1;
    else if (sign === "," && depth === 1) cuts.push(at);
    else if (sign === "}" && --depth === 0) return [...cuts, at];
  }
  return null;
}
