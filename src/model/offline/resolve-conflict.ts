import type { MessageParam } from "../../mailbox/conversation.ts";
import { blocksOf } from "../../mailbox/turns.ts";
import { type ConflictNotice, callsIn, conflictNoticeIn, type Messages } from "./conversation.ts";
import { joinResults, type OfflinePlan, type PlanResult } from "./plan.ts";
import { change, nextOffset, type OfflineTools, readLines, readWhole } from "./tools.ts";

const NOT_CHECKED = "Whether both sides make sense together is not checked.";

/**
 * Resolves a conflict: the checkout's side stays, with the lines below it that the agent's task only added. If the task
 * replaced lines, or it is unknown what it wrote, the checkout's side stays alone, and the report says so.
 */
export function* resolveConflict(
  notice: ConflictNotice,
  messages: Messages,
  tools: OfflineTools,
): OfflinePlan {
  const results: PlanResult[] = [];
  for (const { path: given, kind, hasMarks } of notice.files) {
    const path = tools.absolute(given);
    const name = `${tools.shown(path)}${kind === "" ? "" : ` (${kind})`}`;
    const lines = hasMarks
      ? yield* readWhole(tools, path)
      : "there are no two sides of lines to put together.";
    const isRead = typeof lines !== "string";
    const left = { ok: false, text: `${name} was left as it is: ${String(lines)}` };
    results.push(isRead ? yield* resolveFile({ name, path, lines }, addedBy(messages, path), tools) : left);
  }
  const { ok, text } = joinResults(results, " ");
  const report = `${notice.report.replace(NOT_CHECKED, "").trim()}\n\nMy edits conflicted with changes in the checkout. ${text}`;
  return { ok, text: `${report}${/\bBoth sides were kept\b/.test(text) ? `\n\n${NOT_CHECKED}` : ""}`.trim() };
}

type MarkedFile = { readonly name: string; readonly path: string; readonly lines: readonly string[] };

/** Two places with the same text have the same resolution. */
function* resolveFile(file: MarkedFile, added: ReadonlySet<string>, tools: OfflineTools): OfflinePlan {
  const { name, path, lines } = file;
  const marked = `${lines.join("\n")}\n`.matchAll(
    /^<{7}(?: .*)?\n((?:(?!\|{7}|={7}).*\n)*)(?:\|{7}(?: .*)?\n[\s\S]*?)?^={7}\s*\n([\s\S]*?)^>{7}(?: .*)?\n/gm,
  );
  const places = new Map([...marked].map(([place, theirs = "", own = ""]) => [place, { theirs, own }]));
  if (places.size === 0) return { ok: false, text: `${name} is not resolved: there are no marks in it.` };
  let isMerged = true;
  for (const [place, { theirs, own }] of places) {
    const there = theirs.split("\n");
    const kept = own.split("\n").filter((line) => added.has(line) && !there.includes(line));
    isMerged &&= kept.length > 0;
    const resolved = theirs + kept.map((line) => `${line}\n`).join("");
    const edit = { old_string: place, new_string: resolved, replace_all: true };
    const { ok, text } = yield* change(tools, "Edit", { file_path: path, ...edit });
    if (!ok) return { ok, text: `${name} is not resolved: ${text}` };
  }
  const lost = `In ${name} the checkout's side was kept, and mine was not: both changed the same lines.`;
  return { ok: isMerged, text: isMerged ? `Both sides were kept in ${name}.` : lost };
}

/** The lines that the agent's task added to a file; none if it replaced some, or had not read the file to its end. */
function addedBy(messages: Messages, path: string): ReadonlySet<string> {
  const all = callsIn(messages.slice(Math.max(0, messages.findLastIndex(isTask))));
  const calls = all.filter(({ input, outcome }) => Object(input).file_path === path && outcome.ok);
  const first = calls.findIndex(({ name }) => name !== "Read");
  const reads = calls.slice(0, Math.max(0, first)).map(({ outcome }) => outcome.text);
  const found = new Set(reads.flatMap((text) => readLines(path, text)).map(({ text }) => text));
  const added = new Set<string>();
  let isKnown = reads.some((text) => nextOffset(text) === undefined);
  for (const { name, input } of calls) {
    const { old_string: old = "", new_string: now = "" } = Object(input);
    // A conflict that was resolved before.
    if (name === "Read" || String(old).startsWith("<<<<<<<")) continue;
    isKnown &&= name === "Edit" && String(now).includes(String(old));
    const before = String(old).split("\n");
    for (const line of String(now).split("\n")) if (!before.includes(line)) added.add(line);
  }
  return isKnown && !added.values().some((line) => found.has(line)) ? added : new Set();
}

/** True for a message of the user that has no results and no conflict that is given back. */
function isTask(message: MessageParam): boolean {
  const texts = blocksOf(message).map((block) => (block.type === "text" ? block.text.trim() : null));
  const isOwn = texts.every((text) => text !== null && conflictNoticeIn(text) === undefined);
  return message.role === "user" && isOwn && texts.some((text) => text !== "");
}
