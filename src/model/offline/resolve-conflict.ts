import type { MessageParam } from "../../mailbox/conversation.ts";
import { blocksOf } from "../../mailbox/turns.ts";
import type { OfflinePlan, PlanResult } from "./plan.ts";
import { change, type OfflineTools, readWhole } from "./tools.ts";

/** Edits that the runtime gave back to the agent that made them, because they conflict with the checkout. */
export interface ConflictNotice {
  /** `kind`: `modify/delete`, …; empty if the conflict is about lines alone. */
  readonly files: readonly { readonly path: string; readonly kind: string; readonly hasMarks: boolean }[];
  /** What the agent had reported of them. */
  readonly report: string;
}

const NOT_CHECKED = "Whether both sides make sense together is not checked.";

/** Reads the message that gives a conflict back; undefined for any other text, whatever it quotes. */
export function conflictNoticeIn(text: string): ConflictNotice | undefined {
  const [first = "", list = ""] = text.split("\n\n", 2);
  if (!/^Your edits .*<<<<<<< and >>>>>>>/.test(first)) return undefined;
  // `- PATH`, then `: lines 3-9, 12` and ` (KIND)` if there are any.
  const rows = list.matchAll(/^- (.+?)(: lines \d[\d, -]*?)?(?: \(([a-z]+[a-z/ -]*)\))?$/gm);
  const files = [...rows].map(([, path = "", lines, kind = ""]) => ({
    path,
    kind,
    hasMarks: lines !== undefined,
  }));
  const report = /\n\nYour own report was: ([\s\S]*)\n\nRead these files again,/.exec(text)?.[1] ?? "";
  return files.length === 0 ? undefined : { files, report: report.replace(NOT_CHECKED, "").trim() };
}

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
  const parts = [report, told, merged ? NOT_CHECKED : ""].filter((part) => part !== "");
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

function resolvedSide(place: readonly string[], middle: number, written: Written) {
  const baseAt = place.findIndex((line, at) => at < middle && /^\|{7}(?: |$)/.test(line));
  const theirs = place.slice(1, baseAt < 0 ? middle : baseAt);
  const base = baseAt < 0 ? null : place.slice(baseAt + 1, middle);
  const own = place.slice(middle + 1, -1);
  const added = own.filter((line) => (base ? !base.includes(line) : written.lines.has(line)));
  const replaces = base
    ? base.some((line) => !own.includes(line))
    : added.some((line) => written.replacing.has(line));
  if (added.length === 0 || replaces) return { lines: theirs, isMerged: false };
  return { lines: [...theirs, ...added.filter((line) => !theirs.includes(line))], isMerged: true };
}

/** What an agent wrote into a file, as its calls say. */
interface Written {
  readonly lines: ReadonlySet<string>;
  /** Those that took the place of other lines. */
  readonly replacing: ReadonlySet<string>;
}

function writtenBy(messages: readonly MessageParam[], path: string): Written {
  const edits = messages.flatMap(blocksOf).flatMap((block) => {
    const input: Readonly<Record<string, unknown>> = block.type === "tool_use" ? Object(block.input) : {};
    if (input["file_path"] !== path) return [];
    const before = String(input["old_string"] ?? "").split("\n");
    const after = String(input["new_string"] ?? input["content"] ?? "").split("\n");
    const isReplacement = input["old_string"] !== undefined && before.some((line) => !after.includes(line));
    return [{ isReplacement, added: after.filter((line) => !before.includes(line)) }];
  });
  return {
    lines: new Set(edits.flatMap(({ added }) => added)),
    replacing: new Set(edits.flatMap(({ isReplacement, added }) => (isReplacement ? added : []))),
  };
}
