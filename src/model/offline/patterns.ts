import type { Term } from "./terms.ts";

/** Words before a name that is being defined, in the languages that have such words. */
const DEFINING =
  "function|class|interface|type|enum|namespace|struct|trait|impl|union|def|fn|func|fun|sub|proc|macro|mod|module|" +
  "record|object|protocol|const|let|var|val|static|typedef|defmodule|defp|defun|define|message|service|rpc|table|view|" +
  "package|contract|newtype|data|int|void|char|bool|boolean|string|float|double|long|public|private|protected|export";

/** A pattern for ripgrep, case-insensitive, for every place where the term may stand. It may find too much. */
export function termPattern(term: Term): string {
  if (term.kind !== "word") return exactPattern(term.label);
  return wordPattern(commonStart(term.label, term.stems[0] ?? term.label));
}

/** `headLimit`, `head_limit`, `head-limit` and `head limit` are one. */
function exactPattern(text: string): string {
  const parts = text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^A-Za-z\d\s_-]+/g) ?? [text];
  return parts.map(escaped).join("[-_ ]?");
}

/** At the start of a word, behind an underscore, or at a hump of camelCase. A short word must end there as well. */
function wordPattern(start: string): string {
  const escapedStart = escaped(start);
  if (!/^[a-z]/.test(start)) return escapedStart;
  const hump = `${start.charAt(0).toUpperCase()}${escaped(start.slice(1))}`;
  const end =
    start.length > 4 ? "" : "(?:[a-z]?(?:e?s|ed|e?ing|e?r|or|e|y|ies|ied))?(?:\\b|_|(?-i:[A-Z\\d]))";
  return `(?:\\b|[_\\d])${escapedStart}${end}|(?-i:[a-z\\d]${hump})${end}`;
}

/** Two of the terms near each other on one line: what a comment or a heading about both looks like. */
export function pairPattern(terms: readonly Term[]): string | undefined {
  const starts = terms.map(looseStart);
  const pairs = starts.flatMap((a, at) => starts.slice(at + 1).map((b) => `${a}.{0,40}${b}|${b}.{0,40}${a}`));
  return pairs.length > 0 ? pairs.join("|") : undefined;
}

/**
 * What stands behind a word that defines: names that are one of the terms, and names that hold one. They are
 * searched for apart, because the first are few and would be lost among the second.
 */
export function definitionPatterns(terms: readonly Term[]): string[] {
  const before = `\\b(?:${DEFINING})\\b[\\s*&]+(?:\\w+\\s+){0,2}`;
  const whole = terms.map((term) =>
    term.kind === "word" ? `${bareStart(term)}[a-z]{0,4}` : exactPattern(term.label),
  );
  return [`${before}(?:${whole.join("|")})\\b`, `${before}[\\w$.]*(?:${terms.map(looseStart).join("|")})`];
}

function bareStart(term: Term): string {
  return escaped(commonStart(term.label, term.stems[0] ?? term.label));
}

function looseStart(term: Term): string {
  if (term.kind !== "word") return exactPattern(term.label);
  const start = commonStart(term.label, term.stems[0] ?? term.label);
  return start.length > 3
    ? escaped(start)
    : `${escaped(start)}(?:[a-z]?(?:s|ed|ing|er|e))?(?:\\b|_|(?-i:[A-Z\\d]))`;
}

/** File names that hold one of the words; Glob knows no case-insensitive words, so the usual two are given. */
export function namePattern(terms: readonly Term[]): string | undefined {
  const starts = terms.flatMap((term) => {
    if (term.kind !== "word") return [];
    const start = commonStart(term.label, term.stems[0] ?? term.label);
    return /^[a-z]{3,}$/.test(start) ? [start, `${start.charAt(0).toUpperCase()}${start.slice(1)}`] : [];
  });
  const [first] = starts;
  if (first === undefined) return undefined;
  return starts.length === 1 ? `**/*${first}*` : `**/*{${starts.join(",")}}*`;
}

function commonStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a.charAt(length) === b.charAt(length)) length += 1;
  return length >= 3 ? a.slice(0, length) : a;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, (sign) => (sign === "/" || sign === "-" ? sign : `\\${sign}`));
}
