import { fileKind, kindFactor } from "./file-kind.ts";
import type { LineKind } from "./line-kind.ts";
import { lineScore, type Question } from "./line-score.ts";
import { type Match, match, weightOf } from "./matching.ts";
import type { Term } from "./terms.ts";
import type { SeenLine } from "./tool-output.ts";

/** A line with its worth as an answer. */
export interface ScoredLine extends SeenLine {
  readonly kind: LineKind;
  readonly match: Match;
  readonly score: number;
}

/** Neighbouring lines of one file, taken together: what a reading would look at. */
export interface RankedFile {
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

/** The places worth reading, best first. Lines without any term are passed over. */
export function rankPlaces(question: Question, lines: readonly SeenLine[]): RankedFile[] {
  const { terms, lexer } = question;
  const known = new Map(lines.map((line) => [`${line.path}:${line.line}`, line]));
  const matched = [...known.values()].flatMap((line) => {
    const found = match(terms, lexer.stems(line.text));
    return found.count > 0 ? [{ line, match: found }] : [];
  });
  const paths = new Set(lines.map(({ path }) => path));
  const weights = termWeights(terms, matched, paths.size);
  const byPath = new Map<string, ScoredLine[]>();
  for (const { line, match: found } of matched) {
    const { path, text } = line;
    const kind = lexer.kind(path, text);
    const above = known.get(`${path}:${line.line - 1}`);
    const documented = above !== undefined && lexer.kind(path, above.text).type === "comment";
    const score = lineScore(question, weights, { text, kind, documented }, found);
    const scored = { ...line, kind, match: found, score };
    const others = byPath.get(path);
    if (others) others.push(scored);
    else byPath.set(path, [scored]);
  }
  return [...byPath]
    .flatMap(([path, some]) => placesOf(question, weights, path, some))
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1) || a.anchor.line - b.anchor.line);
}

/**
 * How telling each term is: what stands in few of the files counts more. What stands in none tells nothing
 * apart; it counts as much as the others do on average, so that no place seems to have everything.
 */
function termWeights(
  terms: readonly Term[],
  matched: readonly { line: SeenLine; match: Match }[],
  files: number,
): number[] {
  const rarities = terms.map((_, at) => {
    const paths = new Set<string>();
    for (const { line, match: found } of matched) if (found.strengths[at] === 1) paths.add(line.path);
    return paths.size === 0 ? undefined : Math.log(1 + (Math.max(files, 40) + 1) / (paths.size + 1));
  });
  const known = rarities.filter((rarity) => rarity !== undefined);
  const average = known.reduce((sum, rarity) => sum + rarity, 0) / Math.max(1, known.length);
  return terms.map(({ weight }, at) => weight * (rarities[at] ?? (known.length > 0 ? average : 1)));
}

function placesOf(
  question: Question,
  weights: readonly number[],
  path: string,
  lines: ScoredLine[],
): RankedFile[] {
  const factor = kindFactor(fileKind(path), question.intent.kinds) * depthFactor(path);
  const named = pathScore(question, weights, path);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return clusters(lines).map((cluster) => {
    const anchor = cluster.reduce((best, line) => (line.score > best.score ? line : best), cluster[0]);
    const together = weights.map((_, at) =>
      Math.max(...cluster.map(({ match: found }) => found.strengths[at] ?? 0)),
    );
    const covered = weightOf(together, weights);
    const beyond = covered - weightOf(anchor.match.strengths, weights);
    const more = cluster.reduce((sum, line) => sum + line.score, 0) - anchor.score;
    const score = (anchor.score + 0.6 * beyond + Math.min(0.15 * more, 0.4 * anchor.score) + named) * factor;
    return { path, anchor, lines: cluster, score, coverage: total === 0 ? 0 : covered / total };
  });
}

type Cluster = [ScoredLine, ...ScoredLine[]];

function clusters(lines: readonly ScoredLine[]): Cluster[] {
  const groups: Cluster[] = [];
  for (const line of [...lines].sort((a, b) => a.line - b.line)) {
    const group = groups.at(-1);
    const previous = group?.at(-1);
    const near = group && previous && line.line - previous.line <= NEAR;
    if (near && line.line - group[0].line <= 3 * NEAR) group.push(line);
    else groups.push([line]);
  }
  return groups;
}

/** A file that is named for what was asked is often where it is decided. */
function pathScore({ terms, lexer }: Question, weights: readonly number[], path: string): number {
  const parts = path.split("/");
  const base = lexer.stems((parts.at(-1) ?? "").replace(/\.[a-z\d]+$/i, ""));
  const inName = match(terms, base);
  const share = base.length === 0 ? 0 : Math.min(1, inName.count / base.length);
  const folders = match(terms, lexer.stems(parts.slice(-4, -1).join(" ")));
  return 0.7 * weightOf(inName.strengths, weights) * share + 0.2 * weightOf(folders.strengths, weights);
}

function depthFactor(path: string): number {
  return 1 / (1 + 0.015 * path.split("/").length);
}
