import { fileKind, kindFactor } from "./file-kind.ts";
import type { Intent } from "./intent.ts";
import { type LineKind, lineKind } from "./line-kind.ts";
import { type Match, match, type Stemmer } from "./matching.ts";
import type { Term } from "./terms.ts";
import type { SeenLine } from "./tool-output.ts";

/** A line with its worth as an answer. */
export interface ScoredLine extends SeenLine {
  readonly kind: LineKind;
  readonly match: Match;
  readonly score: number;
}

/** Neighbouring lines of one file, taken together: what a reading would look at. */
export interface Place {
  readonly path: string;
  /** The best of its lines. */
  readonly anchor: ScoredLine;
  readonly lines: readonly ScoredLine[];
  readonly score: number;
  /** How much of what was asked about stands here, 0 to 1, the rare words counting more. */
  readonly coverage: number;
}

/** Lines nearer than this belong to one place. */
const NEAR = 12;

export interface Question {
  readonly terms: readonly Term[];
  readonly intent: Intent;
  readonly stems: Stemmer;
}

/** How telling each term is: rare ones more. `files`: for each term, in how many files it was seen. */
export function termWeights(terms: readonly Term[], files: readonly number[], all: number): number[] {
  return terms.map((term, at) => {
    const seen = files[at] ?? 0;
    return term.weight * Math.log(1 + (Math.max(all, 40) + 1) / (seen + 1));
  });
}

/** The places worth reading, best first. Lines without any term are passed over. */
export function rankPlaces(question: Question, lines: readonly SeenLine[]): Place[] {
  const { terms } = question;
  const matched = distinct(lines).flatMap((line) => {
    const found = match(terms, question.stems(line.text));
    return found.count > 0 ? [{ line, match: found }] : [];
  });
  const paths = new Set(lines.map(({ path }) => path));
  const weights = termWeights(terms, filesOfTerms(terms, matched), paths.size);
  const byPath = new Map<string, ScoredLine[]>();
  for (const { line, match: found } of matched) {
    const kind = lineKind(line.path, line.text);
    const bonus = kindBonus(question, weights, kind, found) * textFactor(line.text, kind, found);
    const score = lineScore(weights, found) * bonus;
    const scored = { ...line, kind, match: found, score };
    const others = byPath.get(line.path);
    if (others) others.push(scored);
    else byPath.set(line.path, [scored]);
  }
  return [...byPath]
    .flatMap(([path, some]) => placesOf(question, weights, path, some))
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1) || a.anchor.line - b.anchor.line);
}

function distinct(lines: readonly SeenLine[]): SeenLine[] {
  return [...new Map(lines.map((line) => [`${line.path}:${line.line}`, line])).values()];
}

function filesOfTerms(
  terms: readonly Term[],
  matched: readonly { line: SeenLine; match: Match }[],
): number[] {
  return terms.map((_, at) => {
    const files = new Set<string>();
    for (const { line, match: found } of matched) if (found.strengths[at] === 1) files.add(line.path);
    return files.size;
  });
}

function weightOf(strengths: readonly number[], weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * (strengths[at] ?? 0), 0);
}

function lineScore(weights: readonly number[], found: Match): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const base = weightOf(found.strengths, weights);
  const near = found.count > 1 ? 1 + 0.6 * (found.count / found.span) : 1;
  const dense = 0.8 + 0.6 * Math.min(1, (2.5 * found.count) / (found.words + 1));
  return base * (0.4 + base / total) * near * dense;
}

function kindBonus(question: Question, weights: readonly number[], kind: LineKind, found: Match): number {
  const { wants } = question.intent;
  switch (kind.type) {
    case "definition": {
      const bonus = nameMatch(question, weights, kind.name) * (kind.indent === 0 ? 1 : 0.6);
      return wants === "uses" ? 0.8 : 1 + (wants === "definition" ? 1.2 : 0.8) * bonus;
    }
    case "field":
      return wants === "uses" ? 0.9 : 1 + 0.4 * nameMatch(question, weights, kind.name);
    case "heading":
    case "comment":
      return found.count < 2 ? 1 : wants === "explanation" ? 1.5 : 1.35;
    case "import":
      return wants === "uses" ? 0.8 : 0.35;
    case "other":
      return wants === "uses" ? 1.2 : 1;
    default:
      return kind satisfies never;
  }
}

/** A line that asks the same does not answer it, nor does one cell of a long table of words. */
function textFactor(text: string, kind: LineKind, { count, words }: Match): number {
  if (kind.type === "definition" || kind.type === "field") return 1;
  if (count > 1 && /[?？]["'`”]?[,;)\]]*\s*$/u.test(text)) return 0.3;
  if (kind.type === "other" && words > 30) return 0.5;
  return kind.type === "other" && /^\s*["'`]/.test(text) ? 0.7 : 1;
}

/** How well a defined name is what was asked for: the part of the name that was named, and of the question that it names. */
function nameMatch({ terms, stems }: Question, weights: readonly number[], defined: string): number {
  const name = stems(defined);
  const { strengths } = match(terms, name);
  const parts = terms.reduce((sum, term, at) => sum + (strengths[at] ?? 0) * term.stems.length, 0);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (name.length === 0 || total === 0) return 0;
  return Math.min(1, parts / name.length) * Math.min(1, (1.2 * weightOf(strengths, weights)) / total);
}

function placesOf(
  question: Question,
  weights: readonly number[],
  path: string,
  lines: ScoredLine[],
): Place[] {
  const factor = kindFactor(fileKind(path), question.intent.kinds) * depthFactor(path);
  const named = pathScore(question, weights, path);
  return clusters(lines).map((cluster) => {
    const [first] = cluster;
    const anchor = cluster.reduce((best, line) => (line.score > best.score ? line : best), first);
    const together = weights.map((_, at) =>
      Math.max(...cluster.map(({ match: found }) => found.strengths[at] ?? 0)),
    );
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const covered = weightOf(together, weights);
    const beyond = covered - weightOf(anchor.match.strengths, weights);
    const more = cluster.reduce((sum, line) => sum + line.score, 0) - anchor.score;
    const score = (anchor.score + 0.6 * beyond + Math.min(0.15 * more, 0.4 * anchor.score) + named) * factor;
    return { path, anchor, lines: cluster, score, coverage: total === 0 ? 0 : covered / total };
  });
}

function clusters(lines: readonly ScoredLine[]): [ScoredLine, ...ScoredLine[]][] {
  const sorted = [...lines].sort((a, b) => a.line - b.line);
  const groups: [ScoredLine, ...ScoredLine[]][] = [];
  for (const line of sorted) {
    const group = groups.at(-1);
    const previous = group?.at(-1);
    if (group && previous && line.line - previous.line <= NEAR && line.line - group[0].line <= 3 * NEAR)
      group.push(line);
    else groups.push([line]);
  }
  return groups;
}

/** A file that is named for what was asked is often where it is decided. */
function pathScore({ terms, stems }: Question, weights: readonly number[], path: string): number {
  const parts = path.split("/");
  const base = stems((parts.at(-1) ?? "").replace(/\.[a-z\d]+$/i, ""));
  const inName = match(terms, base);
  const share = base.length === 0 ? 0 : Math.min(1, inName.count / base.length);
  const folders = match(terms, stems(parts.slice(-4, -1).join(" ")));
  return 0.7 * weightOf(inName.strengths, weights) * share + 0.2 * weightOf(folders.strengths, weights);
}

function depthFactor(path: string): number {
  return 1 / (1 + 0.015 * path.split("/").length);
}
