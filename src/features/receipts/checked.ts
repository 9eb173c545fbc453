import { errorMessage } from "../../lib/errors.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { Summary } from "../../mailbox/messages.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import { unverifiedIn } from "./check.ts";
import { evidenceOf, type Remembered } from "./evidence.ts";

type Ended = Pick<Actor, "id" | "spec" | "turns" | "root">;

/**
 * Before anybody sees the summary of an agent, and while its conversation is still known. The main conversation answers
 * a person. Never throws: an end must come, checked or not.
 */
export function checkedEnd(
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

/** A summary with what of its report could not be verified, as its caller is to see it; its words stay as they are. */
export function checkedSummary(
  summary: Summary,
  remembered: Remembered,
  folders: readonly string[],
): Summary {
  if (summary.text.trim() === "") return summary;
  // A folder within another one is taken off first.
  const longest = [...new Set(folders)].sort((a, b) => b.length - a.length);
  const evidence = evidenceOf(remembered, longest);
  const unverified = unverifiedIn(summary.text, evidence);
  return {
    ...summary,
    ...(unverified.length === 0 ? {} : { unverified }),
    ...(evidence.calls === 0 ? { unfounded: true } : {}),
  };
}
