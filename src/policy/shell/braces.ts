import { parseShell } from "./parse.ts";
import type { ShellWord } from "./words.ts";

/** More words than this are not made: what expands so far is judged by its text alone. */
const MAX_WORDS = 4096;

/** The words that bash makes of braces, for deny rules and critical removals; null where there are none. */
export function withoutBraces(words: readonly ShellWord[]): readonly ShellWord[] | null {
  if (!words.some(({ pieces }) => pieces.some(({ type }) => type === "brace"))) return null;
  const raws = words.flatMap(({ raw }) => expand(raw).slice(0, MAX_WORDS));
  if (raws.length > MAX_WORDS) return null;
  const [part] = parseShell(raws.join(" ")).parts.slice(-1);
  return part?.words ?? null;
}

function expand(raw: string): string[] {
  const open = topBrace(raw);
  if (!open) return [raw];
  const { start, end, parts } = open;
  const tails = expand(raw.slice(end + 1));
  const middles = parts.flatMap(expand);
  const found: string[] = [];
  for (const middle of middles) {
    for (const tail of tails) {
      found.push(`${raw.slice(0, start)}${middle}${tail}`);
      if (found.length > MAX_WORDS) return found;
    }
  }
  return found;
}

/** The first brace that expands, with what stands between its commas, or the steps of its range. */
function topBrace(raw: string): { start: number; end: number; parts: string[] } | null {
  for (let start = nextBrace(raw, 0); start >= 0; start = nextBrace(raw, start + 1)) {
    const commas: number[] = [];
    let depth = 0;
    for (let at = start; at < raw.length; at = next(raw, at)) {
      const letter = raw[at];
      if (letter === "{") depth += 1;
      if (letter === "," && depth === 1) commas.push(at);
      if (letter === "}") depth -= 1;
      if (depth > 0) continue;
      const inner = raw.slice(start + 1, at);
      const parts = commas.length > 0 ? split(raw, [start, ...commas, at]) : range(inner);
      if (parts) return { start, end: at, parts };
      break;
    }
  }
  return null;
}

function nextBrace(raw: string, from: number): number {
  for (let at = from; at < raw.length; at = next(raw, at)) {
    if (raw[at] === "{" && raw[at - 1] !== "$") return at;
  }
  return -1;
}

/** The place after a letter, an escape or a quoted text. */
function next(raw: string, at: number): number {
  if (raw[at] === "\\") return at + 2;
  const quote = raw[at];
  if (quote !== "'" && quote !== '"') return at + 1;
  const end = raw.indexOf(quote, at + 1);
  return end < 0 ? raw.length : end + 1;
}

function split(raw: string, borders: readonly number[]): string[] {
  return borders.slice(1).map((border, at) => raw.slice((borders[at] ?? 0) + 1, border));
}

function range(inner: string): string[] | null {
  const [, from = "", to = "", step = "1"] =
    /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/.exec(inner) ?? [];
  if (from === "") return null;
  const letters = /[A-Za-z]/.test(from) && /[A-Za-z]/.test(to);
  const [a, b] = letters ? [from.charCodeAt(0), to.charCodeAt(0)] : [Number(from), Number(to)];
  if (Number.isNaN(a) || Number.isNaN(b)) return null;
  const by = Math.max(1, Math.abs(Number(step))) * (a <= b ? 1 : -1);
  const count = Math.min(Math.floor(Math.abs(b - a) / Math.abs(by)) + 1, MAX_WORDS + 1);
  return Array.from({ length: count }, (_, i) =>
    letters ? String.fromCharCode(a + i * by) : String(a + i * by),
  );
}
