import { splitFrontMatter } from "../front-matter/split.ts";

/** A file of rules, without its front matter. */
export interface Rule {
  readonly text: string;
  /** The files it is about, as patterns; null: all. */
  readonly paths: readonly string[] | null;
}

/** More patterns of one rule are not looked at. */
const MOST = 100;

/** Reads `paths` of the front matter, however it is written: a word, words with commas between them, or a list. */
export function ruleIn(text: string): Rule {
  const parts = splitFrontMatter(text);
  if (parts.type !== "parts") return { text, paths: null };
  const lines = parts.header.split("\n");
  const at = lines.findIndex((line) => /^paths[ \t]*:/.test(line));
  if (at < 0) return { text: parts.body, paths: null };
  const inline = (lines[at] ?? "").replace(/^paths[ \t]*:/, "");
  const below = lines.slice(at + 1);
  const end = below.findIndex((line) => /^[^\s#-]/.test(line));
  const items = (end < 0 ? below : below.slice(0, end)).flatMap(
    (line) => /^\s*-\s+(.*)$/.exec(line)?.[1] ?? [],
  );
  const paths = [inline, ...items].flatMap(wordsIn).slice(0, MOST);
  return { text: parts.body, paths: paths.length === 0 ? null : paths };
}

/** Between commas that stand in no braces; without quotes, brackets and comments. */
function wordsIn(value: string): string[] {
  const plain = value.replace(/\s#.*$/, "").trim();
  const bare = /^\[.*\]$/.test(plain) ? plain.slice(1, -1) : plain;
  const words: string[] = [];
  let depth = 0;
  let word = "";
  for (const sign of bare) {
    if (sign === "{") depth += 1;
    if (sign === "}") depth = Math.max(0, depth - 1);
    if (sign === "," && depth === 0) {
      words.push(word);
      word = "";
    } else word += sign;
  }
  return [...words, word].map((one) => one.trim().replace(/^(["'])(.*)\1$/, "$2")).filter(Boolean);
}
