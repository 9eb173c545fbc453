import { keepBoth } from "./both-sides.ts";
import type { ConflictedFile, HandedBack, Span } from "./conflict-notice.ts";
import type { Desk } from "./offered-tools.ts";
import type { Plan } from "./plan.ts";
import { readWhole } from "./read-whole.ts";
import { failureOf } from "./step.ts";

/**
 * Settles a conflict that came back to whoever made the edits: where two sides stand in a file it keeps both. It cannot
 * judge whether they make sense together, and says so.
 */
export function* settle({ files, report }: HandedBack, desk: Desk): Plan<string> {
  const told: string[] = [];
  let merged = false;
  for (const file of files) {
    const { kept, text } = yield* settleFile(file, desk);
    merged ||= kept;
    told.push(text);
  }
  // Said once, at the end, however often edits came back.
  const before = report.replace(NOT_CHECKED, "").trim();
  return [
    ...(before === "" ? [] : [before]),
    `My edits did not fit to what the checkout had become. ${told.join(" ")}`,
    ...(merged ? [NOT_CHECKED] : []),
  ].join("\n\n");
}

const NOT_CHECKED = "Whether both sides make sense together is not checked.";

interface Settled {
  /** Both sides stand in it now. */
  readonly kept: boolean;
  readonly text: string;
}

function* settleFile(file: ConflictedFile, desk: Desk): Plan<Settled> {
  const path = desk.absolute(file.path);
  const shown = desk.shown(path);
  const reader = desk.offered("Read");
  const edit = desk.offered("Edit");
  const not = (why: string): Settled => ({ kept: false, text: `${shown} is not settled: ${why}` });
  if (reader === undefined) return not("the Read tool is not offered.");
  const whole = yield* readWhole(path, reader);
  if (file.places.length === 0)
    return { kept: false, text: asItIs(shown, file.kind, whole.type === "lines") };
  if (whole.type === "unreadable") return not(whole.reason);
  if (edit === undefined) return not("the Edit tool is not offered.");
  const both = keepBoth(whole.lines, file.places);
  if (both.type === "no-marks") return not(`there are no marks in ${linesWords([both.at])}.`);
  for (const { old, fresh } of both.changes) {
    const input = { file_path: path, old_string: old, new_string: fresh };
    const [outcome] = yield [{ tool: edit, input, shared: false }];
    const failure = failureOf(outcome);
    if (failure !== undefined) return not(failure);
  }
  const where = both.kept.filter((span) => span !== null);
  if (where.length === 0) return { kept: false, text: `In ${shown} both sides were empty.` };
  return { kept: true, text: `Both sides were kept in ${shown}, ${linesWords(where)}.` };
}

/** No matter of lines: what stands in the worktree stays, and goes back as it is. */
function asItIs(shown: string, kind: string | undefined, isThere: boolean): string {
  const what = kind === undefined ? "" : ` (${kind})`;
  return isThere
    ? `${shown}${what} was left as it stands in my worktree: there are no two sides of lines to put together.`
    : `${shown}${what} was left as it is: it is not there, or cannot be read as text.`;
}

function linesWords(spans: readonly Span[]): string {
  const words = spans.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
  return `${spans.every(({ from, to }) => from === to) && spans.length === 1 ? "line" : "lines"} ${words}`;
}
