import type { Desk } from "./desk.ts";
import { type Intent, intentOf } from "./intent.ts";
import { stemmer } from "./matching.ts";
import { definitionPattern, namePattern, pairPattern, termPattern } from "./patterns.ts";
import type { Plan, Wish } from "./plan.ts";
import { type Place, rankPlaces } from "./ranking.ts";
import { look, nothingSeen, type Sight } from "./sight.ts";
import { type Term, termsOf } from "./terms.ts";
import { widerTerms } from "./wider-terms.ts";

/** What a search came to. Everything in it was shown by a tool in this conversation. */
export interface Findings {
  readonly question: string;
  readonly intent: Intent;
  readonly terms: readonly Term[];
  /** Best first. */
  readonly places: readonly Place[];
  readonly sight: Sight;
}

const GREP_LIMIT = 120;
const MOST_SEARCHED = 6;
const MOST_READINGS = 4;
const LINES_BEFORE = 14;
const LINES_READ = 44;
/** With less of the question than this in one place, a wider search is worth a turn. */
const GOOD_COVERAGE = 0.5;

/** Three or four turns: search, search wider where little was found, read the best places, done. */
export function* explore(question: string, desk: Desk): Plan<Findings> {
  const intent = intentOf(question);
  const stems = stemmer();
  let terms = termsOf(question);
  let sight = yield* look(searches(terms, desk), nothingSeen, desk);
  const rank = () => rankPlaces({ terms, intent, stems }, sight.lines);
  let places = rank();
  if ((places[0]?.coverage ?? 0) < GOOD_COVERAGE) {
    const wider = widerTerms(terms);
    sight = yield* look(searches(wider, desk), sight, desk);
    terms = [...terms, ...wider];
    places = rank();
  }
  sight = yield* look(readings(terms, places, sight, desk), sight, desk);
  return { question, intent, terms, places: rank(), sight };
}

function searches(terms: readonly Term[], desk: Desk): Wish[] {
  const telling = terms.filter(({ weight }) => weight >= 0.5).slice(0, MOST_SEARCHED);
  const [first] = telling;
  if (first === undefined) return [];
  const grep = desk.offered("Grep");
  const glob = desk.offered("Glob");
  const pairs = pairPattern(telling.slice(0, 4));
  const patterns = [...telling.map(termPattern), definitionPattern(telling), ...(pairs ? [pairs] : [])];
  const names = namePattern(telling);
  const files = telling
    .filter(({ kind }) => kind === "file")
    .map(({ label }) => `**/${label.replace(/\/$/, "/*")}`);
  return [
    ...(grep ? patterns.map((pattern) => grepWish(grep, pattern)) : []),
    ...(glob ? [...files, ...(names ? [names] : [])].map((pattern) => globWish(glob, pattern)) : []),
  ];
}

function grepWish(tool: string, pattern: string): Wish {
  const input = { pattern, output_mode: "content", "-n": true, "-i": true, head_limit: GREP_LIMIT };
  return { tool, input, shared: true };
}

function globWish(tool: string, pattern: string): Wish {
  return { tool, input: { pattern }, shared: true };
}

/** Around the best places: at most two of a file, none that another one already shows. */
function readings(terms: readonly Term[], places: readonly Place[], sight: Sight, desk: Desk): Wish[] {
  const read = desk.offered("Read");
  if (read === undefined) return [];
  const chosen: { path: string; from: number }[] = [];
  for (const { path, anchor } of [...namedFiles(terms, places, sight), ...places]) {
    const from = Math.max(1, anchor.line - LINES_BEFORE);
    const same = chosen.filter((other) => other.path === path);
    if (same.length >= 2 || same.some((other) => Math.abs(other.from - from) < LINES_READ - LINES_BEFORE))
      continue;
    chosen.push({ path, from });
    if (chosen.length === MOST_READINGS) break;
  }
  return chosen.map(({ path, from }) => ({
    tool: read,
    input: { file_path: desk.absolute(path), offset: from, limit: LINES_READ },
    shared: true,
  }));
}

/** Files that the question names are read first, at their best place or from the top. */
function namedFiles(terms: readonly Term[], places: readonly Place[], sight: Sight) {
  const names = terms.filter(({ kind }) => kind === "file").map(({ label }) => label.toLowerCase());
  const fits = (path: string) => names.some((name) => `/${path.toLowerCase()}`.endsWith(`/${name}`));
  const named = places.filter(({ path }) => fits(path)).slice(0, 2);
  if (named.length > 0) return named;
  const byName = sight.files.filter(fits).slice(0, 2);
  // Without Grep, or with no hit inside, the names are all there is to go by.
  const fallback = byName.length === 0 && places.length === 0 ? sight.files.slice(0, 2) : byName;
  return fallback.map((path) => ({ path, anchor: { line: 1 } }));
}
