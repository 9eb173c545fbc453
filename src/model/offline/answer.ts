import { type Clause, type Findings, inTurn } from "./explore.ts";
import { type Passage, passageAt, shownLines } from "./passages.ts";
import { cut, quoted, tellingSentence } from "./quoting.ts";
import type { RankedFile } from "./ranking.ts";
import type { Term } from "./terms.ts";

const MOST_PASSAGES = 4;
const MOST_QUOTED_LINES = 30;
/** A place this much worse than the best one is not shown; beside one that answers, little else is of use. */
const WORTH_SHOWING = { beside: 0.35, besideAnAnswer: 0.6 };
const ANSWERS = 0.7;
const LONGEST_PROBLEM = 200;

/** The text an agent ends with: one or two sentences, then the passages they come from. */
export function answerText(findings: Findings): string {
  const passages = choosePassages(findings);
  if (passages.length === 0) return nothingFound(findings);
  const lead = usesSentence(findings) ?? leadSentences(findings, passages);
  return [lead, ...passages.map(quoted), searchedLine(findings)].join("\n\n");
}

function choosePassages({ clauses, sight }: Findings): Passage[] {
  const uses = clauses[0]?.intent.wants === "uses";
  const shown = shownLines(sight.lines);
  const worth = clauses.map(({ places }) => {
    const [best] = places;
    const share = (best?.coverage ?? 0) >= ANSWERS ? WORTH_SHOWING.besideAnAnswer : WORTH_SHOWING.beside;
    const least = (best?.score ?? 0) * share;
    return places.filter(({ score }) => score >= least);
  });
  const passages: Passage[] = [];
  let quotedLines = 0;
  for (const place of inTurn(worth)) {
    if (passages.length === MOST_PASSAGES) break;
    if (sight.read.size > 0 && !uses && !sight.read.has(place.path)) continue;
    const passage = passageAt(place, shown);
    const fits = passage.lines.length > 0 && quotedLines + passage.lines.length <= MOST_QUOTED_LINES;
    if (!fits || passages.some((other) => overlap(other, passage))) continue;
    passages.push(passage);
    quotedLines += passage.lines.length;
  }
  return passages;
}

function overlap(a: Passage, b: Passage): boolean {
  return a.path === b.path && a.lines.some(({ line }) => b.lines.some((other) => other.line === line));
}

/** One sentence for each part of the question, two at most. */
function leadSentences({ clauses }: Findings, passages: readonly Passage[]): string {
  const leads = clauses.slice(0, 2).flatMap((clause) => {
    const best = passages.find(({ place }) => clause.places.includes(place));
    return best === undefined ? [] : [leadSentence(clause, best)];
  });
  return leads.map((lead) => (/[.!?…。]”?$/u.test(lead) ? lead : `${lead}.`)).join(" ");
}

function leadSentence(clause: Clause, { path, line, lines, place }: Passage): string {
  const where = `${path}:${line}`;
  const { kind } = place.anchor;
  const sure = place.coverage >= ANSWERS;
  const defines = sure && kind.type === "definition" && !kind.local;
  const said = tellingSentence(clause.terms, lines, defines);
  if (defines)
    return `\`${kind.name}\` is defined in ${where}${said ? `; its comment says: “${said}”` : "."}`;
  if (sure && said !== undefined) return `${where} says: “${said}”`;
  return `${hedge(clause, place)} ${where}${said ? `, which says: “${said}”` : "."}`;
}

function hedge(clause: Clause, { coverage }: RankedFile): string {
  const missing = missingTerms(clause);
  if (missing.length > 0) return `Nothing has ${labels(missing)}; the closest passage is`;
  return coverage < 0.4
    ? "Nothing that was found states this directly; the closest passage is"
    : "The best match is";
}

/** Telling terms that no line of any place has, in no form. */
function missingTerms({ terms, places }: Clause): Term[] {
  return telling(terms).filter((term) => !places.some((place) => has(place, terms.indexOf(term))));
}

function usesSentence({ clauses, sight }: Findings): string | undefined {
  const [clause] = clauses;
  const [name] = clause?.terms ?? [];
  if (clause?.intent.wants !== "uses" || name === undefined) return undefined;
  const uses = clause.places.flatMap(({ lines }) =>
    lines.filter(({ match, kind }) => match.strengths[0] === 1 && kind.type !== "definition"),
  );
  const files = [...new Set(uses.map(({ path }) => path))];
  if (files.length === 0) return undefined;
  const named = files.slice(0, 6).join(", ");
  const more = files.length > 6 ? ` and ${files.length - 6} more` : "";
  const least = sight.full ? "at least " : "";
  return `“${name.label}” stands in ${least}${plural(uses.length, "line", "lines")} besides its definition, in ${plural(files.length, "file", "files")}: ${named}${more}.`;
}

function searchedLine({ clauses, sight }: Findings): string {
  const terms = clauses.flatMap((clause) => telling(clause.terms));
  const missing = clauses.flatMap(missingTerms);
  const counts = `${plural(sight.searches, "search", "searches")}, ${plural(sight.readings, "reading", "readings")}`;
  const none = missing.length > 0 ? `; nothing has ${labels(missing)}` : "";
  return `Searched for ${labels(terms)} (${counts}${none}).${problemsOf(sight.problems)}`;
}

function telling(terms: readonly Term[]): Term[] {
  return terms.filter(({ weight }) => weight > 0.5);
}

function labels(terms: readonly Term[]): string {
  return [...new Set(terms.map(({ label }) => label))].join(", ");
}

function has(place: RankedFile, at: number): boolean {
  return place.lines.some(({ match }) => (match.strengths[at] ?? 0) > 0);
}

function problemsOf(problems: readonly string[]): string {
  const [first] = problems;
  if (first === undefined) return "";
  return ` ${plural(problems.length, "call", "calls")} failed: ${cut(first, LONGEST_PROBLEM)}`;
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function nothingFound({ clauses, sight, question }: Findings): string {
  const words = labels(clauses.flatMap(({ terms }) => telling(terms)));
  if (words === "")
    return `There is nothing to search for in “${cut(question.trim(), 120)}”: name a thing, a file or a word of the code.`;
  if (sight.searches === 0) return `No search was made for ${words}.${problemsOf(sight.problems)}`;
  const files = sight.files.slice(0, 5);
  const named = files.length > 0 ? ` Files whose names fit: ${files.join(", ")}.` : "";
  const searched = plural(sight.searches, "search", "searches");
  return `Nothing was found for ${words} in ${searched} by name and by content.${named}${problemsOf(sight.problems)}`;
}
