import { parseShell } from "./parse.ts";
import type { ShellWord } from "./words.ts";

/** More words than this are not made: what expands so far is judged by its text alone. */
const MAX_WORDS = 4096;
/** A letter, an escape or a quoted text. */
const TOKEN = /\\[\s\S]?|'[^']*'?|"(?:\\[\s\S]|[^"\\])*"?|[\s\S]/g;

/** Returns the words that bash makes of braces, for deny rules and critical removals, or null. */
export function withoutBraces(words: readonly ShellWord[]): readonly ShellWord[] | null {
  if (!words.some(({ pieces }) => pieces.some(({ type }) => type === "brace"))) return null;
  const raws = words.flatMap(({ raw }) => expand(raw.match(TOKEN) ?? []).slice(0, MAX_WORDS));
  if (raws.length > MAX_WORDS) return null;
  const [part] = parseShell(raws.join(" ")).parts.slice(-1);
  return part?.words ?? null;
}

function expand(tokens: readonly string[]): string[] {
  for (let start = tokens.indexOf("{"); start >= 0; start = tokens.indexOf("{", start + 1)) {
    const brace = tokens[start - 1] === "$" ? null : readBrace(tokens, start);
    if (brace === null) continue;
    const head = tokens.slice(0, start).join("");
    const tails = expand(tokens.slice(brace.end + 1));
    const found: string[] = [];
    for (const middle of brace.parts.flatMap(expand)) {
      found.push(...tails.map((tail) => `${head}${middle}${tail}`));
      if (found.length > MAX_WORDS) break;
    }
    return found;
  }
  return [tokens.join("")];
}

/** Returns what is between its commas, or the steps of its range, or null if it does not expand. */
function readBrace(tokens: readonly string[], start: number): { end: number; parts: string[][] } | null {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    if (at < start) continue;
    if (token === "{") depth += 1;
    if (token === "}") depth -= 1;
    if (depth === 0) {
      const steps = parts.length > 1 ? parts : range(parts.flat().join(""));
      return steps && { end: at, parts: steps };
    }
    if (token === "," && depth === 1) parts.push([]);
    else if (at > start) parts.at(-1)?.push(token);
  }
  return null;
}

function range(inner: string): string[][] | null {
  const [, from = "", to = "", first, last, step = "1"] =
    /^(?:(-?\d+)\.\.(-?\d+)|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?\d+))?$/.exec(inner) ?? [];
  if (from === "" && first === undefined) return null;
  const codeOf = (letter: string | undefined) => letter?.charCodeAt(0);
  const [a, b] = [codeOf(first) ?? Number(from), codeOf(last) ?? Number(to)];
  const by = Math.max(1, Math.abs(Number(step))) * (a <= b ? 1 : -1);
  const count = Math.min(Math.floor(Math.abs(b - a) / Math.abs(by)) + 1, MAX_WORDS + 1);
  const width = /^-?0\d/.test(from) || /^-?0\d/.test(to) ? Math.max(from.length, to.length) : 0;
  const padded = (n: number) =>
    n < 0 ? `-${String(-n).padStart(width - 1, "0")}` : String(n).padStart(width, "0");
  return Array.from({ length: count }, (_, i) => a + i * by).map((n) => [
    first === undefined ? padded(n) : String.fromCharCode(n),
  ]);
}
