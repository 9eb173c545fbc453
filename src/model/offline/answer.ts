import type { Findings } from "./explore.ts";
import { isComment } from "./line-kind.ts";
import { match, stemmer } from "./matching.ts";
import { isProse, type Passage, passageAt, shownLines } from "./passages.ts";
import type { Place } from "./ranking.ts";

const MOST_PASSAGES = 4;
const MOST_QUOTED_LINES = 30;
const LONGEST_QUOTE = 160;
const LONGEST_SENTENCE = 240;
/** A place this much worse than the best is not shown. */
const WORTH_SHOWING = 0.35;

/** The text an agent ends with: one or two sentences, then the passages they come from. */
export function answerText(findings: Findings): string {
  const passages = choosePassages(findings);
  const [best] = passages;
  if (best === undefined) return nothingFound(findings);
  const uses = findings.intent.wants === "uses" ? usesSentence(findings) : undefined;
  const parts = [uses ?? leadSentence(findings, best), ...passages.map(quoted), searchedLine(findings)];
  return parts.join("\n\n");
}

function choosePassages({ places, sight, intent }: Findings): Passage[] {
  const shown = shownLines(sight.lines);
  const top = places[0]?.score ?? 0;
  const passages: Passage[] = [];
  let quotedLines = 0;
  for (const place of places) {
    if (passages.length === MOST_PASSAGES || place.score < top * WORTH_SHOWING) break;
    if (sight.read.size > 0 && intent.wants !== "uses" && !sight.read.has(place.path)) continue;
    const passage = passageAt(place, shown);
    const known = passages.some((other) => other.path === passage.path && overlap(other, passage));
    if (known || passage.lines.length === 0 || quotedLines + passage.lines.length > MOST_QUOTED_LINES)
      continue;
    passages.push(passage);
    quotedLines += passage.lines.length;
  }
  return passages;
}

function overlap(a: Passage, b: Passage): boolean {
  return a.lines.some(({ line }) => b.lines.some((other) => other.line === line));
}

function quoted(passage: Passage): string {
  const rows = passage.lines.map(
    ({ line, text }) => `    ${String(line).padStart(4)}  ${cut(text, LONGEST_QUOTE)}`,
  );
  return [`${passage.path}:${passage.line}`, ...rows].join("\n");
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
}

function leadSentence(findings: Findings, best: Passage): string {
  const where = `${best.path}:${best.line}`;
  const { anchor, coverage } = best.place;
  const said = tellingSentence(findings, best);
  const sure = coverage >= 0.7;
  const prefix =
    coverage < 0.4
      ? "Nothing that was found states this directly; the closest passage is"
      : "The best match is";
  if (anchor.kind.type === "definition" && sure) {
    return `\`${anchor.kind.name}\` is defined in ${where}.${said ? ` Its comment says: “${said}”` : ""}`;
  }
  if (said !== undefined && sure) return `${where} says: “${said}”`;
  return `${prefix} ${where}${said ? `, which says: “${said}”` : "."}`;
}

/** The sentence of a passage's comment (or prose) that has most of what was asked for. */
function tellingSentence({ terms }: Findings, passage: Passage): string | undefined {
  const prose = passage.lines
    .filter(({ path, text }) => isProse(path) || isComment(text.trimStart()))
    .map(({ text }) => bare(text))
    .filter((text) => text !== "");
  const stems = stemmer();
  const scored = sentencesOf(prose).map((sentence) => {
    const found = match(terms, stems(sentence));
    return {
      sentence,
      worth: terms.reduce((sum, term, at) => sum + term.weight * (found.strengths[at] ?? 0), 0),
    };
  });
  const best = scored.reduce((a, b) => (b.worth > a.worth ? b : a), { sentence: "", worth: 0 });
  return best.worth > 0 ? cut(best.sentence, LONGEST_SENTENCE) : undefined;
}

function bare(comment: string): string {
  return comment
    .trim()
    .replace(/^(?:\/\*\*?|\*\/|\/{2,}!?|\*|#+|--+|;+|"""|'''|<!--)\s?/, "")
    .replace(/\s*(?:\*\/|-->|"""|-{3,})$/, "")
    .replace(/^-{2,}\s*/, "")
    .trim();
}

/** A short line ends a sentence even without a full stop: it is a heading or an item. */
function sentencesOf(lines: readonly string[]): string[] {
  const text = lines.map((line) => (line.length < 60 ? `${line}\n` : `${line} `)).join("");
  return text
    .split(/(?<=[.!?])\s+(?=[A-Z`])|(?<=[。！？])|\n/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

function usesSentence({ places, terms }: Findings): string | undefined {
  const name = terms[0];
  if (name === undefined) return undefined;
  const uses = places.flatMap(({ lines }) =>
    lines.filter(({ match: found, kind }) => (found.strengths[0] ?? 0) === 1 && kind.type !== "definition"),
  );
  const files = [...new Set(uses.map(({ path }) => path))];
  if (files.length === 0) return undefined;
  const named = files.slice(0, 6).join(", ");
  const more = files.length > 6 ? ` and ${files.length - 6} more` : "";
  return `\`${name.label}\` stands in ${uses.length} other lines of ${files.length} ${files.length === 1 ? "file" : "files"}: ${named}${more}.`;
}

function searchedLine({ terms, sight, places }: Findings): string {
  const words = terms.filter(({ weight }) => weight >= 0.5);
  const missing = words.filter((term) => !places.some((place) => has(place, terms.indexOf(term))));
  const searched = `Searched for ${words.map(({ label }) => label).join(", ")}`;
  const counts = `${plural(sight.searches, "search", "searches")}, ${plural(sight.readings, "reading", "readings")}`;
  const none =
    missing.length > 0 && missing.length < words.length
      ? `; nothing has ${missing.map(({ label }) => label).join(", ")}`
      : "";
  return `${searched} (${counts}${none}).${problemsOf(sight.problems)}`;
}

function has(place: Place, at: number): boolean {
  return place.lines.some(({ match: found }) => (found.strengths[at] ?? 0) > 0);
}

function problemsOf(problems: readonly string[]): string {
  const [first] = problems;
  if (first === undefined) return "";
  return ` ${plural(problems.length, "call", "calls")} failed: ${cut(first, LONGEST_SENTENCE)}`;
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function nothingFound({ terms, sight, question }: Findings): string {
  if (terms.length === 0)
    return `There is nothing to search for in “${cut(question.trim(), 120)}”: name a thing, a file or a word of the code.`;
  const words = terms
    .filter(({ weight }) => weight >= 0.5)
    .map(({ label }) => label)
    .join(", ");
  const files = sight.files.slice(0, 5);
  const named = files.length > 0 ? ` Files whose names fit: ${files.join(", ")}.` : "";
  if (sight.searches === 0) return `No search was made for ${words}.${problemsOf(sight.problems)}`;
  return `Nothing was found for ${words} in ${plural(sight.searches, "search", "searches")} by name and by content.${named}${problemsOf(sight.problems)}`;
}
