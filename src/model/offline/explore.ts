import { type Asked, clausesOf } from "./clauses.ts";
import { lexer } from "./lexer.ts";
import { nothingSeen, observe, type Sight } from "./observations.ts";
import type { Desk } from "./offered-tools.ts";
import { definitionPatterns, namePattern, pairPattern, termPattern } from "./patterns.ts";
import type { Plan, Wish } from "./plan.ts";
import { type RankedFile, rankPlaces } from "./ranking.ts";
import { distinctTerms, type Term } from "./terms.ts";
import { partTerms, relatedTerms } from "./wider-terms.ts";

/** What a search came to. Everything in it was shown by a tool in this conversation. */
export interface Findings {
  readonly question: string;
  /** The parts of the question, each with the places that answer it, best first. */
  readonly clauses: readonly Clause[];
  readonly sight: Sight;
}

export interface Clause extends Asked {
  readonly places: readonly RankedFile[];
}

/** Of one word there may be thousands of lines; of two together, or a definition, few, and those count. */
const WORD_LINES = 100;
const TELLING_LINES = 800;
const MOST_SEARCHED = 6;
const MOST_READINGS = 4;
const LINES_BEFORE = 14;
const LINES_READ = 44;
/** With less of the question than this in one place, a wider search is worth a turn. */
const GOOD_COVERAGE = 0.5;

/** Three or four turns: search, search wider where little was found, read the best places, done. */
export function* explore(question: string, desk: Desk): Plan<Findings> {
  const words = lexer();
  const rank = (asked: Asked, { lines }: Sight): Clause => ({
    ...asked,
    places: rankPlaces({ ...asked, lexer: words }, lines),
  });
  const asked = clausesOf(question);
  const all = distinctTerms(asked.flatMap(({ terms }) => terms));
  let sight = yield* observe(searches(all, desk), nothingSeen, desk);
  let clauses = asked.map((one) => rank(one, sight));
  // What nothing has is searched for in other words: parts of a name, and words that mean nearly the same.
  const lacking = distinctTerms(clauses.flatMap(lackingTerms));
  const parts = partTerms(lacking);
  const wider = [...parts, ...relatedTerms(lacking)];
  if (wider.length > 0 && sight.searches > 0) {
    sight = yield* observe(searches(wider, desk), sight, desk);
    clauses = asked.map(({ terms, intent }) =>
      rank({ terms: distinctTerms([...terms, ...parts]), intent }, sight),
    );
  }
  sight = yield* observe(readings(clauses, sight, desk), sight, desk);
  return { question, clauses: clauses.map(({ terms, intent }) => rank({ terms, intent }, sight)), sight };
}

/** Telling terms that no line has; all of them where no place has much of the question. */
function lackingTerms({ terms, places }: Clause): Term[] {
  const telling = terms.filter(({ weight }) => weight >= 0.5);
  if ((places[0]?.coverage ?? 0) < GOOD_COVERAGE) return telling;
  return telling.filter((term) => {
    const at = terms.indexOf(term);
    return !places.some(({ lines }) => lines.some(({ match }) => match.strengths[at] === 1));
  });
}

function searches(terms: readonly Term[], desk: Desk): Wish[] {
  const telling = terms.filter(({ weight }) => weight >= 0.5).slice(0, MOST_SEARCHED);
  const [first] = telling;
  if (first === undefined) return [];
  const grep = desk.offered("Grep");
  const glob = desk.offered("Glob");
  const pairs = pairPattern(telling.slice(0, 4));
  const patterns = [...definitionPatterns(telling), ...(pairs ? [pairs] : [])];
  const names = namePattern(telling);
  const files = telling
    .filter(({ kind }) => kind === "file")
    .map(({ label }) => `**/${label.replace(/\/$/, "/*")}`);
  return [
    ...(grep ? telling.map((term) => grepWish(grep, termPattern(term), WORD_LINES)) : []),
    ...(grep ? patterns.map((pattern) => grepWish(grep, pattern, TELLING_LINES)) : []),
    ...(glob ? [...files, ...(names ? [names] : [])].map((pattern) => globWish(glob, pattern)) : []),
  ];
}

function grepWish(tool: string, pattern: string, lines: number): Wish {
  const input = { pattern, output_mode: "content", "-n": true, "-i": true, head_limit: lines };
  return { tool, input, shared: true };
}

function globWish(tool: string, pattern: string): Wish {
  return { tool, input: { pattern }, shared: true };
}

/** Around the best places: at most two of a file, none that another one already shows. */
function readings(clauses: readonly Clause[], sight: Sight, desk: Desk): Wish[] {
  const read = desk.offered("Read");
  if (read === undefined) return [];
  const chosen: { path: string; from: number }[] = [];
  const places = inTurn(clauses.map((clause) => clause.places));
  for (const { path, anchor } of [...namedFiles(clauses, places, sight), ...places]) {
    const from = Math.max(1, anchor.line - LINES_BEFORE);
    const same = chosen.filter((other) => other.path === path);
    const shown = same.some((other) => Math.abs(other.from - from) < LINES_READ - LINES_BEFORE);
    if (same.length >= 2 || shown) continue;
    chosen.push({ path, from });
    if (chosen.length === MOST_READINGS) break;
  }
  return chosen.map(({ path, from }) => ({
    tool: read,
    input: { file_path: desk.absolute(path), offset: from, limit: LINES_READ },
    shared: true,
  }));
}

/** The first of each list, then the second of each, and so on. */
export function inTurn<T>(lists: readonly (readonly T[])[]): T[] {
  const most = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: most }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

/** Files that the question names are read first, at their best place or from the top. */
function namedFiles(clauses: readonly Clause[], places: readonly RankedFile[], sight: Sight) {
  const terms = clauses.flatMap((clause) => clause.terms);
  const names = terms.filter(({ kind }) => kind === "file").map(({ label }) => label.toLowerCase());
  const fits = (path: string) => names.some((name) => `/${path.toLowerCase()}`.endsWith(`/${name}`));
  const named = places.filter(({ path }) => fits(path)).slice(0, 2);
  if (named.length > 0) return named;
  const byName = sight.files.filter(fits).slice(0, 2);
  // Without Grep, or with no hit inside, the names are all there is to go by.
  const fallback = byName.length === 0 && places.length === 0 ? sight.files.slice(0, 2) : byName;
  return fallback.map((path) => ({ path, anchor: { line: 1 } }));
}
