import type { Unverified } from "../../mailbox/messages.ts";
import { citationsIn } from "./citations.ts";
import { runsIn, whyNotRun } from "./commands.ts";
import type { Evidence } from "./evidence.ts";
import { type EvidenceSearch, searchIn, unseenReason } from "./evidence-search.ts";
import { pathsIn } from "./paths.ts";
import { type Fence, partsOf } from "./sentences.ts";

/** Characters checked of a report, and of all its evidence. */
const REPORT_CHARS = 100_000;
const EVIDENCE_CHARS = 16_000_000;
/** More are not reported. */
const MOST = 50;
const SAID_CHARS = 120;
/** Shorter sentences may occur anywhere by chance. */
const REPEATED_CHARS = 30;

/**
 * Returns the claims of a report without evidence in what its agent saw, wrote or ran (demand D10). Doubt counts for
 * the report: a false mark costs more trust than a missing one.
 */
export function unverifiedIn(report: string, given: Evidence): Unverified[] {
  const evidence = searchIn({ ...given, texts: newest(given.texts) });
  const { lines, fences } = partsOf(report.slice(0, REPORT_CHARS));
  const found: Unverified[] = [];
  const flagged = new Set<string>();
  const flag = (kind: Unverified["kind"], said: string, why: string) => {
    const words = said.replace(/\s+/g, " ").trim();
    if (flagged.has(words) || found.length >= MOST) return;
    flagged.add(words);
    found.push({
      kind,
      said: words.length > SAID_CHARS ? `${words.slice(0, SAID_CHARS).toWellFormed()}…` : words,
      why,
    });
  };
  for (const citation of citationsIn(lines)) {
    if (found.length >= MOST) break;
    const why = unseenReason(citation, evidence);
    if (why !== null) flag(citation.lines === null ? "file" : "lines", citation.said, why);
  }
  for (const claim of runsIn(lines)) {
    if (claim.type !== "command" && isRepeated(claim.sentence, evidence)) continue;
    const why = whyNotRun(claim, evidence.ran, evidence.reported);
    if (why !== null) flag("run", claim.said, why);
  }
  const quotes = quotesIn(fences);
  const texts = quotes.length === 0 ? [] : [...evidence.texts, ...evidence.inputs].map(normalizeCode);
  for (const quote of quotes) {
    if (!isSeen(quote, texts))
      flag("quote", `the block quoted from ${quote.said}`, "no such lines were seen");
  }
  return found;
}

/** Returns the newest texts up to a total length. */
function newest(texts: readonly string[]): string[] {
  let left = EVIDENCE_CHARS;
  const kept: string[] = [];
  for (const text of texts.toReversed()) {
    left -= text.length;
    if (left < 0) break;
    kept.push(text);
  }
  return kept;
}

/** True if the sentence is quoted from something the agent saw, and so claims nothing. */
function isRepeated(sentence: string, { holding }: EvidenceSearch): boolean {
  const words = sentence.replace(/^[\s>]*(?:\d+[\s:|]+)?["“'`*-]*\s*/, "").replace(/["”'`*\s]+$/, "");
  return words.length >= REPEATED_CHARS && holding(words)?.length !== 0;
}

/** A block that a report shows as the content of a file. */
interface CodeQuote {
  readonly said: string;
  /** Lines with content. */
  readonly lines: readonly string[];
}

/** Text that marks a block as proposed rather than quoted. */
const PROPOSED =
  /\b(?:should|could|would|replac\w*|chang\w*|fix\w*|suggest\w*|instead|becomes?|add\w*|propos\w*|new|rewrit\w*|patch|diff|example|e\.g|like this|sketch|after|recommend\w*|refactor\w*|use|using|try|create|run|reproduc\w*|roughly|simplified|pseudo\w*|equivalent|output|prints?|returns?|produces?)\b|建议|改为|修改|修复|替换|例如|示例|应该|可以|输出|新增/i;
/** Shorter lines occur in every file. */
const TELLING_CHARS = 12;
const SPACE = /\s+/g;

/** Returns the blocks that have a position in a file and are no proposals. */
function quotesIn(fences: readonly Fence[]): CodeQuote[] {
  return fences.flatMap(({ info, intro, lines }) => {
    const places = [...pathsIn(info), ...pathsIn(intro)];
    const [first] = places;
    const isLocated =
      first !== undefined &&
      /(?::|#L|line|第)\s?\d|\b(?:in|from|of|at|says?|reads?|contains?)\b|中|里/i.test(`${info} ${intro}`);
    if (!isLocated || PROPOSED.test(intro) || /^(?:diff|patch|sh|bash|console|text|json output)\b/.test(info))
      return [];
    const telling = lines.map(bare).filter((line) => line.length >= TELLING_CHARS && !/\.{3}|…/.test(line));
    return telling.length === 0 ? [] : [{ said: first.path, lines: telling }];
  });
}

/** True if the agent saw enough of it to take the rest as abbreviated, not invented. */
function isSeen(quote: CodeQuote, texts: readonly string[]): boolean {
  const seen = quote.lines.filter((line) => texts.some((text) => text.includes(line)));
  return seen.length * 2 >= quote.lines.length;
}

/** Removes the line number or diff marker before a line. */
function bare(line: string): string {
  return line
    .replace(/^\s*(?:\d+\s*(?:[:|\t→-]|\s{2,}))?/, "")
    .replace(/^[+-]\s/, "")
    .replace(SPACE, " ")
    .trim();
}

/** Normalizes a text for comparison of quotes, ignoring spaces. */
function normalizeCode(text: string): string {
  return text.replace(SPACE, " ");
}
