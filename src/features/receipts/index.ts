import { errorMessage } from "../../lib/errors.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { Summary } from "../../mailbox/messages.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Joints } from "../../supervisor/joints.ts";
import { unverifiedIn } from "./check.ts";
import { evidenceOf, type Remembered } from "./evidence.ts";

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
