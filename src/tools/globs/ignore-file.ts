import { fitsName, fitsPath, type Part, partOf, tokensOf } from "./wild-match.ts";

/** What one ignore file says of something in its folder or below; null: nothing. */
export interface IgnoreFile {
  /** `from`: where in the path begins what lies below the file's folder. */
  verdict(name: string, path: string, from: number, isFolder: boolean): "ignored" | "kept" | null;
}

interface Rule {
  readonly order: number;
  readonly keeps: boolean;
  readonly onlyFolders: boolean;
}

interface NameRule extends Rule {
  /** All of the path that it speaks of; null: it speaks of the name, wherever it is. */
  readonly path: string | null;
}

interface WildRule extends Rule {
  fits(name: string, path: string, from: number): boolean;
}

/**
 * Reads the text of a .gitignore. The last rule that fits decides. Nearly all rules of real files are plain
 * names, plain paths or endings: those are looked up, so that a long file costs no more than a short one.
 */
export function ignoreFile(text: string): IgnoreFile {
  // A plain path is looked up by its last name: a name is at hand, and a part of a path would have to be cut out.
  const names = new Map<string, NameRule[]>();
  const endings = new Map<string, Rule[]>();
  const wild: WildRule[] = [];
  for (const [order, line] of text
    .replace(/^\ufeff/, "")
    .split("\n")
    .entries()) {
    const parsed = parse(line);
    if (parsed === null) continue;
    const { pattern, anchored, ...rest } = parsed;
    const rule = { order, ...rest };
    const ending = /^\*(\.[^*?[\\./]+)$/.exec(pattern)?.[1];
    if (!/[*?[\\]/.test(pattern))
      add(names, pattern.slice(pattern.lastIndexOf("/") + 1), { ...rule, path: anchored ? pattern : null });
    else if (!anchored && ending !== undefined) add(endings, ending, rule);
    else addWild(wild, pattern, anchored, rule);
  }
  // From the last: the first that fits is the one that counts.
  wild.reverse();
  return {
    verdict(name, path, from, isFolder) {
      const dot = name.lastIndexOf(".");
      const named = names.get(name)?.filter((rule) => isAt(rule, path, from));
      let best = later(null, named, isFolder);
      if (dot >= 0 && endings.size > 0) best = later(best, endings.get(name.slice(dot)), isFolder);
      if (wild.length > 0) best = lastWild(wild, { name, path, from, isFolder }, best) ?? best;
      return best === null ? null : best.keeps ? "kept" : "ignored";
    },
  };
}

function isAt(rule: NameRule, path: string, from: number): boolean {
  if (rule.path === null) return true;
  return path.length - from === rule.path.length && path.startsWith(rule.path, from);
}

/** The last of the rules that fit, and of the one that was known. */
function later(best: Rule | null, rules: readonly Rule[] | undefined, isFolder: boolean): Rule | null {
  if (rules === undefined) return best;
  let last = best;
  for (const rule of rules) {
    if ((isFolder || !rule.onlyFolders) && rule.order > (last?.order ?? -1)) last = rule;
  }
  return last;
}

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly from: number;
  readonly isFolder: boolean;
}

/** The last rule that fits, of those after `best`. */
function lastWild(
  wild: readonly WildRule[],
  { name, path, from, isFolder }: Entry,
  best: Rule | null,
): Rule | null {
  for (const rule of wild) {
    if (best !== null && rule.order < best.order) return null;
    if ((isFolder || !rule.onlyFolders) && rule.fits(name, path, from)) return rule;
  }
  return null;
}

function add<R extends Rule>(rules: Map<string, R[]>, key: string, rule: R): void {
  const known = rules.get(key);
  if (known) known.push(rule);
  else rules.set(key, [rule]);
}

function addWild(wild: WildRule[], pattern: string, anchored: boolean, rule: Rule): void {
  if (!anchored) {
    const tokens = tokensOf(pattern);
    if (tokens !== null) wild.push({ ...rule, fits: (name) => fitsName(tokens, [...name]) });
    return;
  }
  const parts: Part[] = [];
  for (const text of pattern.split("/")) {
    const part = partOf(text);
    if (part === null) return;
    parts.push(part);
  }
  // A folder is not in itself.
  if (parts.at(-1) === "any-folders") parts.push([{ type: "many" }]);
  wild.push({ ...rule, fits: (_, path, from) => fitsPath(parts, path.slice(from).split("/")) });
}

interface Parsed {
  readonly pattern: string;
  /** It speaks of a path from the file's folder, not of a name anywhere below. */
  readonly anchored: boolean;
  readonly keeps: boolean;
  readonly onlyFolders: boolean;
}

function parse(line: string): Parsed | null {
  // Blanks at the end count only behind a backslash.
  let rest = line.replace(/\r$/, "").replace(/((?:\\.|[^\\ ])?) +$/, "$1");
  if (rest === "" || rest.startsWith("#")) return null;
  const keeps = rest.startsWith("!");
  if (keeps) rest = rest.slice(1);
  const onlyFolders = rest.endsWith("/");
  if (onlyFolders) rest = rest.slice(0, -1);
  const anchored = rest.includes("/");
  const pattern = rest.startsWith("/") ? rest.slice(1) : rest;
  return pattern === "" ? null : { pattern, anchored, keeps, onlyFolders };
}
