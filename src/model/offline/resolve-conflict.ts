import type { MessageParam } from "../../mailbox/conversation.ts";
import { blocksOf } from "../../mailbox/turns.ts";
import type { OfflinePlan, PlanResult } from "./plan.ts";
import { type ConflictNotice, conflictNoticeIn } from "./conflict-notice.ts";
import { callsIn } from "./conversation.ts";
import { change, nextOffset, type OfflineTools, readLines, readWhole } from "./tools.ts";

const NOT_CHECKED = "Whether both sides make sense together is not checked.";

/**
 * Resolves a conflict: lines that the agent added stay below the checkout's. If the agent replaced lines, or it is unknown
 * what it wrote, the checkout's side stays alone, and the report says so. No line that the checkout removed is restored.
 */
export function* resolveConflict(
  { files, report }: ConflictNotice,
  messages: readonly MessageParam[],
  tools: OfflineTools,
): OfflinePlan<PlanResult> {
  const results: PlanResult[] = [];
  for (const { path: given, kind, hasMarks } of files) {
    const path = tools.absolute(given);
    const name = `${tools.shown(path)}${kind === "" ? "" : ` (${kind})`}`;
    const lines = hasMarks
      ? yield* readWhole(tools, path)
      : "there are no two sides of lines to put together.";
    if (typeof lines === "string") results.push({ ok: false, text: `${name} was left as it is: ${lines}` });
    else results.push(yield* resolveFile(name, path, lines, writtenBy(messages, path), tools));
  }
  const told = `My edits conflicted with changes in the checkout. ${results.map(({ text }) => text).join(" ")}`;
  const merged = results.some(({ text }) => text.startsWith("Both sides"));
  const parts = [report.replace(NOT_CHECKED, "").trim(), told, merged ? NOT_CHECKED : ""].filter((part) => part !== "");
  return { ok: results.every(({ ok }) => ok), text: parts.join("\n\n") };
}

/** Two places with the same text have the same resolution. */
function* resolveFile(
  name: string,
  path: string,
  lines: readonly string[],
  written: Written,
  tools: OfflineTools,
): OfflinePlan<PlanResult> {
  const isMarked = (line: string, sign: string) => new RegExp(`^\\${sign}{7}(?: |$)`).test(line);
  let isMerged = true;
  const done = new Set<string>();
  for (let from = lines.findIndex((line) => isMarked(line, "<")); from >= 0; ) {
    const size = lines.slice(from).findIndex((line) => isMarked(line, ">"));
    const place = lines.slice(from, from + size + 1);
    const middle = place.findIndex((line) => line.trimEnd() === "=======");
    if (size < 0 || middle < 0) break;
    const side = resolvedSide(place, middle, written);
    isMerged &&= side.isMerged;
    const old = `${place.join("\n")}\n`;
    const edit = {
      file_path: path,
      old_string: old,
      new_string: side.lines.map((line) => `${line}\n`).join(""),
      replace_all: true,
    };
    const edited = done.has(old) ? { ok: true, text: "" } : yield* change(tools, "Edit", edit);
    if (!edited.ok) return { ok: false, text: `${name} is not resolved: ${edited.text}` };
    done.add(old);
    const next = lines.slice(from + size + 1).findIndex((line) => isMarked(line, "<"));
    from = next < 0 ? -1 : from + size + 1 + next;
  }
  if (done.size === 0) return { ok: false, text: `${name} is not resolved: there are no marks in it.` };
  return isMerged
    ? { ok: true, text: `Both sides were kept in ${name}.` }
    : {
        ok: false,
        text: `In ${name} the checkout's side was kept, and mine was not: both changed the same lines.`,
      };
}

/** Keeps the checkout's side, with the added lines below it if nothing of the agent's side is lost by that. */
function resolvedSide(place: readonly string[], middle: number, { added, found, dropped }: Written) {
  const baseAt = place.findIndex((line, at) => at < middle && /^\|{7}(?: |$)/.test(line));
  const theirs = place.slice(1, baseAt < 0 ? middle : baseAt);
  const own = place.slice(middle + 1, -1).filter((line) => !theirs.includes(line) && !found.has(line));
  const isMerged =
    own.length > 0 && own.every((line) => added.has(line)) && !theirs.some((line) => dropped.has(line));
  return { lines: isMerged ? [...theirs, ...own] : theirs, isMerged };
}

/** What an agent's calls say of the lines of a file. */
interface Written {
  /** New lines that replace nothing. */
  readonly added: ReadonlySet<string>;
  /** Lines that were there before. */
  readonly found: ReadonlySet<string>;
  readonly dropped: ReadonlySet<string>;
}

/** An edit tells which lines are new only if the file was read to its end before; Write does not tell it. */
function writtenBy(messages: readonly MessageParam[], path: string): Written {
  const added = new Set<string>();
  const found = new Set<string>();
  const dropped = new Set<string>();
  // What an earlier task added may be in the checkout by now, and removed there.
  const earlier = callsIn(messages.slice(0, Math.max(0, messages.findLastIndex(isTask)))).length;
  let isKnown = false;
  for (const [at, { name, input, outcome }] of callsIn(messages).entries()) {
    const { file_path, old_string: old = "", new_string: now = "" } = Object(input);
    if (file_path !== path || outcome.type !== "result") continue;
    if (name === "Read") {
      const lines = readLines(path, outcome.text).map(({ text }) => text);
      for (const line of lines) if (at < earlier || !added.has(line)) found.add(line);
      isKnown ||= nextOffset(outcome.text) === undefined;
      continue;
    }
    if (name !== "Edit") return { added: new Set(), found, dropped };
    const [before, after] = [String(old).split("\n"), String(now).split("\n")];
    for (const line of before) if (!after.includes(line)) dropped.add(line);
    if (!isKnown || at < earlier || !String(now).includes(String(old))) continue;
    for (const line of after) if (!before.includes(line) && !found.has(line)) added.add(line);
  }
  return { added, found, dropped };
}

/** True for a message of the user that has no results and no conflict that is given back. */
function isTask(message: MessageParam): boolean {
  const texts = blocksOf(message).map((block) => (block.type === "text" ? block.text.trim() : null));
  const isOwn = texts.every((text) => text !== null && conflictNoticeIn(text) === undefined);
  return message.role === "user" && isOwn && texts.some((text) => text !== "");
}
