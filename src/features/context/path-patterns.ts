import type { Fits } from "../../context/memory/nearby.ts";
import { type GlobPattern, globPattern } from "../../tools/globs/pattern.ts";

/** Patterns as Glob takes them, each read once; one that cannot be read fits everything: better told once too often. */
export function pathPatterns(): Fits {
  const read = new Map<string, GlobPattern | null>();

  function patternOf(text: string): GlobPattern | null {
    const known = read.get(text);
    if (known !== undefined) return known;
    const bare = text.replace(/^\.?\//, "");
    const understood = globPattern(bare.endsWith("/") ? `${bare}**` : bare);
    const pattern = understood.type === "pattern" ? understood.pattern : null;
    read.set(text, pattern);
    return pattern;
  }

  return (text, path) => {
    const pattern = patternOf(text);
    if (pattern === null) return true;
    const names = path.split("/");
    let folder: GlobPattern["start"] | null = pattern.start;
    for (const name of names.slice(0, -1)) {
      folder = pattern.enter(folder, name);
      if (folder === null) return false;
    }
    return pattern.matches(folder, names.at(-1) ?? "");
  };
}
