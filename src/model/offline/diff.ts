import { formatCount } from "../../lib/figures.ts";
import { shorten } from "../../lib/text.ts";
import { type PlanResult, unsure } from "./plan.ts";

const MOST_PLACES = 5;
const MOST_FILES = 30;
const ASKS_WHAT = /^(?:please )?(?:what|which|summari[sz]e|describe|list|show|explain|outline)\b/i;
const ASKS_MORE = /\b(?:why|should|bugs?|wrong|safe|good|better)\b/i;
const PATHS = [/^\+\+\+ (?:b\/)?(?!\/dev\/null)(.*)$/m, /^--- (?:a\/)?(.*)$/m, /^diff --git a\/.* b\/(.*)$/m];

export function hasDiff(text: string): boolean {
  return /^(?:diff --git |@@ -\d+)/m.test(text);
}

/** Summarizes a unified diff, with the places in the new version. Done only if nothing else was asked. */
export function summarizeDiff(text: string): PlanResult {
  const from = text.search(/^(?:diff --git |--- |@@ )/m);
  const files = text.slice(from).split(/^(?=diff --git )/m);
  const rows = files.slice(0, MOST_FILES).map(summarizeFile);
  if (files.length > MOST_FILES) rows.push(`(${files.length - MOST_FILES} more files)`);
  const [added, removed] = [countLines(files, "+"), countLines(files, "-")].map((sum) =>
    formatCount(sum, "line"),
  );
  const lead = `The diff changes ${formatCount(files.length, "file")}: ${added} added, ${removed} removed.`;
  const summary = `${lead}\n\n${rows.join("\n")}`;
  const isAll = ASKS_WHAT.test(text) && !ASKS_MORE.test(text.slice(0, from));
  return isAll ? { ok: true, text: summary } : unsure(summary);
}

function summarizeFile(diff: string): string {
  const path = PATHS.map((pattern) => pattern.exec(diff)?.[1]?.trim()).find((found) => found) ?? "a file";
  const places = hunksOf(diff).map((hunk) => {
    const [head = "", ...lines] = hunk.split("\n");
    const first = Math.max(
      0,
      lines.findIndex((line) => /^[+-]/.test(line)),
    );
    const at = Number(/\+(\d+)/.exec(head)?.[1] ?? 0) + first;
    return `\n    ${path}:${Math.max(1, at)}  ${shorten(lines[first] ?? "", 100)}`;
  });
  const how = /^(new|deleted|rename)/m.exec(diff)?.[1] ?? "changed";
  const more = places.length > MOST_PLACES ? `\n    (${places.length - MOST_PLACES} more)` : "";
  const lines = `+${countLines([diff], "+")} -${countLines([diff], "-")}`;
  return `${path}  ${how}, ${lines}${places.slice(0, MOST_PLACES).join("")}${more}`;
}

function hunksOf(diff: string): string[] {
  return diff.split(/^(?=@@ -)/m).slice(1);
}

function countLines(diffs: readonly string[], sign: string): number {
  return diffs.flatMap(hunksOf).flatMap((hunk) => hunk.split("\n").filter((line) => line.startsWith(sign)))
    .length;
}
