import type { Unverified } from "../../mailbox/messages.ts";
import { citationsIn } from "./citations.ts";
import { isSeen, normalizeCode, quotesIn } from "./code-quotes.ts";
import { runsIn, whyNotRun } from "./commands.ts";
import type { Evidence } from "./evidence.ts";
import { type EvidenceSearch, searchIn, unseenReason } from "./evidence-search.ts";
import { partsOf } from "./sentences.ts";

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
    const why = whyNotRun(claim, evidence.ran, evidence.told);
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
