import { existsSync } from "node:fs";
import { findFilesSince, restoreFiles, type WrittenSince } from "../../features/checkpoints/restore-files.ts";
import { readEntries } from "../../features/checkpoints/saved-files.ts";
import { journalFile } from "../../journal/paths.ts";
import { readJournal } from "../../journal/reader.ts";
import type { JournalRecord } from "../../journal/session-events.ts";
import { shorten } from "../../lib/text.ts";
import type { MessageParam } from "../../mailbox/conversation.ts";
import { MAIN } from "../../mailbox/ids.ts";
import { permittedCalls } from "../../session/resume-session.ts";
import type { Choices, OfferedAnswer } from "../../terminal/dialogs/choice-form.ts";
import { counted } from "../../terminal/figures.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { wrapText } from "../../terminal/wrap.ts";
import { shownPath } from "../../tools/paths.ts";
import { userText } from "../user-text.ts";
import { askOneOf } from "./ask-one-of.ts";
import type { SlashContext } from "./slash-context.ts";

const MOST_PROMPTS = 50;
const PROMPT = "rewind › ";
const NONE = "There is no earlier prompt in this conversation.";
const NOTHING = "Nothing was changed.";

/** What is restored. */
type Scope = "both" | "conversation" | "files";

/** `/rewind [N]`: returns to an earlier prompt of this conversation, and restores files if the user wants that. */
export async function rewind(argument: string, context: SlashContext): Promise<string | null> {
  const { session, terminal, own } = context;
  if (!existsSync(journalFile(session.folder))) return NONE;
  const reading = await readJournal(journalFile(session.folder));
  if (reading.type === "refused") return reading.reason;
  const points = findRewindPoints(reading.records).slice(0, MOST_PROMPTS);
  if (points.length === 0) return NONE;
  const entries = readEntries(session.folder);
  const since = (point: RewindPoint) => {
    const later = reading.records.filter(({ seq }) => seq >= point.seq);
    return findFilesSince(session.folder, entries, permittedCalls(later));
  };
  const asked = await terminal.dialog(async (dialog) => {
    const ask: Ask = (rows, choices) => {
      dialog.print(rows.flatMap((row) => wrapText(row, terminal.columns())).join("\n"));
      return askOneOf(terminal, dialog, { prompt: PROMPT, ...choices });
    };
    const at = argument === "" ? await choosePoint(ask, points, since) : pointNamed(argument, points);
    if (at === null) return null;
    if (typeof at === "string") return at;
    const { files, lost } = since(at);
    const scope = files.length === 0 ? await confirm(ask) : await chooseScope(ask, files, own.cwd);
    if (scope === null) return null;
    const chosen = scope === "conversation" ? [] : await chooseFiles(ask, files, own.cwd);
    return chosen === null ? null : { at, scope, files: chosen, lost };
  });
  if (asked === null) return NOTHING;
  if (typeof asked === "string") return asked;
  const { at, scope, files, lost } = asked;
  const problems = restoreFiles(session.folder, files);
  const notes = [
    ...(files.length > 0
      ? [`Restored: ${files.map(({ path }) => shownPath(own.cwd, path)).join(", ")}.`]
      : []),
    ...problems,
    ...(scope === "conversation" || lost.length === 0
      ? []
      : [
          `There is no copy of ${lost.map((path) => shownPath(own.cwd, path)).join(", ")}, so they stay as they are.`,
        ]),
    ...(scope !== "conversation" && runsCommands(reading.records, at)
      ? ["What commands and merges of agents' edits did stays as it is; /undo undoes a merge."]
      : []),
  ].map(safeLine);
  if (scope === "files") return notes.join("\n");
  await context.rewindTo(at.seq);
  terminal.giveBack([at.text]);
  return [
    ...notes,
    `This is the conversation before that prompt, which is in the editor again. All that followed, with its agents, is kept as session ${session.session}.`,
  ].join("\n");
}

type Ask = (rows: readonly string[], choices: Choices) => Promise<string | null>;

async function choosePoint(
  ask: Ask,
  points: readonly RewindPoint[],
  since: (point: RewindPoint) => { readonly files: readonly unknown[] },
): Promise<RewindPoint | null> {
  const answers = points.map((point, at): OfferedAnswer => {
    const { length } = since(point).files;
    const changed = length === 0 ? "" : ` · ${counted(length, "file")} changed since`;
    return {
      key: String(at + 1),
      words: `${timeOf(point.at)}  ${shorten(safeLine(point.text.trim().split("\n")[0] ?? ""), 60)}${changed}`,
    };
  });
  const key = await ask(["Return to before which prompt?"], { answers });
  return key === null ? null : (points[Number(key) - 1] ?? null);
}

function pointNamed(argument: string, points: readonly RewindPoint[]): RewindPoint | string {
  const point = /^\d{1,4}$/.test(argument) ? points[Number(argument) - 1] : undefined;
  return (
    point ??
    `Give the number of a prompt from 1, the last one, to ${points.length}; /rewind alone shows them.`
  );
}

async function confirm(ask: Ask): Promise<Scope | null> {
  const key = await ask(["Tools have changed no files since then."], {
    answers: [
      { key: "c", words: "the conversation returns there" },
      { key: "n", words: "change nothing" },
    ],
    escape: "n",
  });
  return key === "c" ? "conversation" : null;
}

async function chooseScope(ask: Ask, files: readonly WrittenSince[], cwd: string): Promise<Scope | null> {
  const shown = files
    .slice(0, 20)
    .map(({ path, copy }) => `  ${safeLine(shownPath(cwd, path))}${copy === null ? " (new)" : ""}`);
  const more = files.length > shown.length ? [`  and ${files.length - shown.length} more`] : [];
  const key = await ask(["Files changed since then:", ...shown, ...more, "What returns to what it was?"], {
    answers: [
      { key: "b", words: "the conversation and these files" },
      { key: "c", words: "the conversation only" },
      { key: "f", words: "these files only" },
      { key: "n", words: "change nothing" },
    ],
    escape: "n",
  });
  return key === "b" ? "both" : key === "c" ? "conversation" : key === "f" ? "files" : null;
}

/** Names what not only this session has changed, and asks about it. Null if the user does not want to go on. */
async function chooseFiles(
  ask: Ask,
  files: readonly WrittenSince[],
  cwd: string,
): Promise<readonly WrittenSince[] | null> {
  const changed = files.filter(({ isChanged }) => isChanged);
  if (changed.length === 0) return files;
  const rows = changed.map(({ path }) => `  ${safeLine(shownPath(cwd, path))}`);
  const key = await ask(["You, or a command, have changed these since tools wrote them:", ...rows], {
    answers: [
      { key: "k", words: "leave these as they are, and restore the others" },
      { key: "r", words: "restore these too; what they are now is kept" },
      { key: "n", words: "change nothing" },
    ],
    escape: "n",
  });
  if (key === "r") return files;
  return key === "k" ? files.filter(({ isChanged }) => !isChanged) : null;
}

function runsCommands(records: readonly JournalRecord[], { seq }: RewindPoint): boolean {
  return records.some(
    ({ seq: at, event }) =>
      at >= seq &&
      event.type === "before" &&
      event.decision === "go" &&
      ["Bash", "Agent"].includes(event.tool),
  );
}

function timeOf(at: string): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** A prompt to which a conversation can return. */
export interface RewindPoint {
  /** Of the first record that is cut off. */
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  /** As the user wrote it, without what the runtime attached. */
  readonly text: string;
}

/** Returns the prompts that began a turn of the main conversation, newest first. What was said while it worked is none. */
export function findRewindPoints(records: readonly JournalRecord[]): readonly RewindPoint[] {
  const points: RewindPoint[] = [];
  let isAtRest = true;
  for (const { seq, at, event } of records) {
    if (event.type === "spawn" && event.spec.id === MAIN) {
      const [first] = event.spec.messages;
      if (first !== undefined) points.push({ seq, at, text: typedText(first) });
      isAtRest = false;
    }
    if (!("actor" in event) || event.actor !== MAIN) continue;
    if (event.type === "summary") isAtRest = true;
    if (event.type === "reopen" || event.type === "start") isAtRest = false;
    if (event.type === "prompt" && isAtRest && !event.notice && !event.system && event.from === undefined)
      points.push({ seq, at, text: typedText(event.message) });
  }
  return points.filter(({ text }) => text.trim() !== "").toReversed();
}

/** What the user had run in a shell is below a prompt, and counts only where it was run. */
function typedText(message: MessageParam): string {
  return userText(message).replace(/\n\n<system-reminder>\n[\s\S]*<\/system-reminder>\s*$/, "");
}
