import { dirname } from "node:path";
import { findRoots } from "../shell/find.ts";
import type { Piece, ShellPart, ShellWord } from "../shell/script.ts";
import { programName } from "../shell/wrappers.ts";
import type { Whereabouts } from "./directories.ts";
import { candidatesOf, holds, realOf } from "./path-candidates.ts";
import { withoutBraces } from "./values.ts";

/** Placeholders for a wildcard and for an unknown value: lone surrogates, which no command contains. */
const WILD = "\uD800";
const SOME = "\uD801";
const BARE_VARIABLE = /^\uD801+\/+(?:[^/]*\uD800[^/]*\/*)?$/;

/** Returns the target of a critical removal (§6), as written, or null. `words` start with the command itself. */
export function criticalRemoval(
  words: readonly ShellWord[],
  cwd: string,
  { folders }: Whereabouts,
  home: string,
): string | null {
  const name = programName(words[0]);
  const removes = name === "rm" || name === "rmdir";
  if (!removes && !(name === "find" && words.some(({ value }) => value === "-delete"))) return null;
  const expanded = withoutBraces(words) ?? words;
  const here = [...new Set([cwd, ...folders])];
  if (removes) {
    const targets = operands(expanded.slice(1));
    return targets.find((target) => isCritical(target, here, home))?.raw ?? null;
  }
  const { found, filtered } = findRoots(expanded.slice(1));
  const critical = found.find(
    (root) => isCritical(root, here, home) && !(filtered && isHere(root, here, home)),
  );
  return critical?.raw ?? null;
}

/** Returns words that xargs or find would pass to a removal: those that the command before it only prints. */
export function handedOver(part: ShellPart): readonly ShellWord[] {
  const before = part.before?.at(-1);
  const name = programName(before?.words[0]);
  return name === "echo" || name === "printf" ? (before?.words.slice(1) ?? []) : [];
}

function operands(words: readonly ShellWord[]): readonly ShellWord[] {
  const end = words.findIndex(({ value }) => value === "--");
  const [before, after] = end < 0 ? [words, []] : [words.slice(0, end), words.slice(end + 1)];
  return [...before.filter(({ value }) => !value.startsWith("-")), ...after];
}

function isCritical(word: ShellWord, here: readonly string[], home: string): boolean {
  const text = word.pieces.map((piece) => spelt(piece, home, here[0] ?? "/")).join("");
  if (text === "") return false;
  // `$X/`, `"$X"/*`: the whole file system if X is empty.
  if (text.startsWith(SOME)) return BARE_VARIABLE.test(text);
  const at = text.indexOf(WILD);
  if (at < 0) return places(text, here, home).some((path) => isPrecious(path, here, home));
  const slash = text.lastIndexOf("/", at);
  const folder = slash < 0 ? "." : text.slice(0, slash + 1);
  const everything = !/[^./\uD800]/.test(text.slice(slash + 1).replace(/\[[^\]]*\]/g, ""));
  return places(folder, here, home).some((path) => {
    if (!isPrecious(path, here, home)) return false;
    // `*.log` in the working directory removes some files; `*` removes it.
    return everything || !isSame(path, here, home);
  });
}

function spelt(piece: Piece, home: string, cwd: string): string {
  switch (piece.type) {
    case "text":
      return piece.text;
    case "glob":
      return WILD;
    case "tilde":
      // Any user's home.
      return piece.text === "~+" ? cwd : home;
    case "variable":
      return piece.name === "HOME" ? home : piece.name === "PWD" ? cwd : SOME;
    case "substitution":
      return /^(?:\$\(\s*pwd\s*\)|`\s*pwd\s*`)$/.test(piece.text) ? cwd : SOME;
    case "brace":
    case "number":
    case "sum":
      return SOME;
    case "forbidden":
      // `$'\x2f'` and `${X:-/}` show their most likely value.
      return piece.unset === "" || piece.unset === piece.text ? SOME : piece.unset;
    default:
      return piece satisfies never;
  }
}

function places(path: string, here: readonly string[], home: string): readonly string[] {
  return here.flatMap((folder) => candidatesOf(path, folder, home).paths);
}

function isPrecious(path: string, here: readonly string[], home: string): boolean {
  if (path === "/" || dirname(path) === "/") return true;
  return (
    [home, realOf(home)].includes(path) ||
    here.some((folder) => holds(path, folder) || holds(path, realOf(folder)))
  );
}

/** True for the working directory itself, unless it is also something worse. */
function isSame(path: string, here: readonly string[], home: string): boolean {
  if (path === "/" || path === home) return false;
  return here.some((folder) => path === folder || path === realOf(folder));
}

function isHere(word: ShellWord, here: readonly string[], home: string): boolean {
  return word.literal && places(word.value, here, home).every((path) => isSame(path, here, home));
}
