import type { MessageParam } from "../../mailbox/conversation.ts";
import { blocksOf } from "../../mailbox/turns.ts";
import { type ConflictNotice, conflictNoticeIn } from "./conflict-notice.ts";
import { callsIn } from "./conversation.ts";
import type { OfflinePlan, PlanResult } from "./plan.ts";
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
  const parts = [report.replace(NOT_CHECKED, "").trim(), told, merged ? NOT_CHECKED : ""].filter(
    (part) => part !== "",
  );
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
  const marked = `${lines.join("\n")}\n`.match(/^<{7}(?: .*)?\n[\s\S]*?^={7}\s*\n[\s\S]*?^>{7}(?: .*)?\n/gm);
  if (marked === null) return { ok: false, text: `${name} is not resolved: there are no marks in it.` };
  let isMerged = true;
  for (const place of new Set(marked)) {
    const side = resolvedSide(place.split("\n").slice(0, -1), written);
    isMerged &&= side.isMerged;
    const edit = { file_path: path, old_string: place, new_string: side.text, replace_all: true };
    const { ok, text } = yield* change(tools, "Edit", edit);
    if (!ok) return { ok, text: `${name} is not resolved: ${text}` };
  }
  const kept = "the checkout's side was kept, and mine was not: both changed the same lines.";
  return isMerged
    ? { ok: true, text: `Both sides were kept in ${name}.` }
    : { ok: false, text: `In ${name} ${kept}` };
}

/** Keeps the checkout's side, with the added lines below it if that loses no line of the agent's side. */
function resolvedSide(place: readonly string[], { added, found, dropped }: Written) {
  const middle = place.findIndex((line) => line.trimEnd() === "=======");
  const baseAt = place.findIndex((line, at) => at < middle && /^\|{7}(?: |$)/.test(line));
  const theirs = place.slice(1, baseAt < 0 ? middle : baseAt);
  const own = place.slice(middle + 1, -1).filter((line) => !theirs.includes(line) && !found.has(line));
  const isMerged =
    own.length > 0 && own.every((line) => added.has(line)) && !theirs.some((line) => dropped.has(line));
  const kept = isMerged ? [...theirs, ...own] : theirs;
  return { text: kept.map((line) => `${line}\n`).join(""), isMerged };
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
