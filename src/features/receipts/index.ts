import { errorMessage } from "../../lib/errors.ts";
import { shorten } from "../../lib/text.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { Summary, Unverified } from "../../mailbox/messages.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Joints } from "../../supervisor/joints.ts";
import { citationsIn, splitReport } from "./citations.ts";
import { type Evidence, evidenceOf, type Remembered } from "./evidence.ts";
import { searchIn, unseenReason } from "./evidence-search.ts";

export interface ReceiptsParts {
  readonly cwd: string;
  /** False to not check reports (default true). */
  readonly checkReports?: boolean;
  readonly onWarning: (message: string) => void;
}

/** Checks reports against what their agents have read and run. Joint: `onEnd`, before the summary is delivered. */
export function receiptsFeature({ onWarning, ...options }: ReceiptsParts): Joints {
  return { onEnd: ({ actor, summary }) => ({ summary: checkedEnd(actor, summary, options, onWarning) }) };
}

type Ended = Pick<Actor, "id" | "spec" | "turns" | "root">;

/**
 * Checks the summary of an agent before it is delivered, while its conversation is still known. The main conversation
 * is not checked. Never throws: an end must arrive, checked or not.
 */
function checkedEnd(
  { id, spec, turns, root }: Ended,
  summary: Summary,
  { cwd, checkReports = true }: { readonly cwd: string; readonly checkReports?: boolean },
  onWarning: (message: string) => void,
): Summary {
  if (id === MAIN || !checkReports) return summary;
  const { isolation, additionalDirs } = spec;
  const trees = isolation ? [isolation.path, isolation.checkout] : [];
  try {
    return checkedSummary(summary, { ...spec, turns }, [root, spec.root, cwd, ...additionalDirs, ...trees]);
  } catch (error) {
    onWarning(`The report of agent ${id} was not checked: ${errorMessage(error)}`);
    return summary;
  }
}

/** Returns a summary with what could not be verified, as its caller sees it; the report's text is unchanged. */
function checkedSummary(summary: Summary, remembered: Remembered, folders: readonly string[]): Summary {
  if (summary.text.trim() === "") return summary;
  // A directory within another one is removed first.
  const longest = [...new Set(folders)].sort((a, b) => b.length - a.length);
  const evidence = evidenceOf(remembered, longest);
  const unverified = unverifiedIn(summary.text, evidence);
  return {
    ...summary,
    ...(unverified.length === 0 ? {} : { unverified }),
    ...(evidence.calls === 0 ? { unfounded: true } : {}),
  };
}

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
    const kind = citation.lines === null ? "file" : "lines";
    found.set(words, { kind, said: shorten(words, SAID_CHARS), why });
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
