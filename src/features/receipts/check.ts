import type { Unverified } from "../../mailbox/messages.ts";
import { citationsIn } from "./citations.ts";
import type { Evidence } from "./evidence.ts";
import { searchIn, unseenReason } from "./evidence-search.ts";
import { splitReport } from "./sentences.ts";

/** Characters checked of a report, and of all its evidence. */
const REPORT_CHARS = 100_000;
const EVIDENCE_CHARS = 16_000_000;
/** More are not reported. */
const MOST = 50;
const SAID_CHARS = 120;

/**
 * Returns the files and lines that a report cites and its agent has not seen (demand D10). Doubt counts for the report: a
 * false mark costs more trust than a missing one. What an agent says that it ran is not guessed from its prose: `accept` runs
 * a check itself.
 */
export function unverifiedIn(report: string, given: Evidence): Unverified[] {
  const evidence = searchIn({ ...given, texts: newest(given.texts) });
  const found = new Map<string, Unverified>();
  for (const citation of citationsIn(splitReport(report.slice(0, REPORT_CHARS)))) {
    if (found.size >= MOST) break;
    const why = unseenReason(citation, evidence);
    const words = citation.said.replace(/\s+/g, " ").trim();
    if (why === null || found.has(words)) continue;
    const said = words.length > SAID_CHARS ? `${words.slice(0, SAID_CHARS).toWellFormed()}…` : words;
    found.set(words, { kind: citation.lines === null ? "file" : "lines", said, why });
  }
  return [...found.values()];
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
