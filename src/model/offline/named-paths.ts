import { fileWeight } from "./source.ts";
import { stemOf, type Term } from "./terms.ts";
import { type FileSize, pathsOf } from "./tools.ts";

/** Directories have shorter names than their subjects. A map: a path may have the word "constructor". */
const SHORT = new Map([
  ["documentation", "docs"],
  ["cmd", "command"],
  ["configuration", "config"],
]);

/**
 * Returns the directories (with a slash at the end) and files whose names consist of words that a question has, and whose paths
 * have each of its nouns: those with most of them first, then sources, then directories, the highest first.
 */
export function findNamedPaths(terms: readonly Term[], files: readonly FileSize[]): string[] {
  const wordsOf = (name: string) => {
    const words = name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [];
    return words.map((word) => stemOf(SHORT.get(word.toLowerCase()) ?? word));
  };
  const asked = new Set(terms.flatMap(({ label }) => wordsOf(label)));
  const nouns = terms.flatMap(({ label, weight }) => (weight < 1 ? [] : wordsOf(label)));
  // A setting or a file is said by its whole name.
  if (terms.some(({ label }) => /[^\p{L}\d-]/u.test(label))) return [];
  const named = pathsOf(files).flatMap((path) => {
    const names = path.replace(/\.[\w.]+$|\/$/, "").split("/");
    const [own, all] = [new Set(wordsOf(names.at(-1) ?? "")), new Set(wordsOf(path))];
    const isNamed =
      own.size > 0 && own.isSubsetOf(asked) && nouns.length > 0 && nouns.every((word) => all.has(word));
    // A test of it does not count, but the directory of all tests does.
    if (!isNamed || fileWeight(path.replace(/[^/]+\/?$/, "x")) < 0.5) return [];
    const worth = own.size * 100 + fileWeight(path) * 50 + (path.endsWith("/") ? 20 : 0) - names.length;
    return [{ path, worth }];
  });
  return named.sort((a, b) => b.worth - a.worth).map(({ path }) => path);
}
