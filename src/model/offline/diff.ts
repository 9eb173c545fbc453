import { formatCount } from "../../lib/figures.ts";
import { shorten } from "../../lib/text.ts";
import { type PlanResult, unsure } from "./plan.ts";
import { atMost } from "./tools.ts";

const ASKS_WHAT = /^(?:please )?(?:what|which|summari[sz]e|describe|list|show|explain|outline)\b/i;
const ASKS_MORE = /\b(?:why|should|bugs?|wrong|safe|good|better)\b/i;
const PATHS = [/^\+\+\+ (?:b\/)?(?!\/dev\/null)(.*)$/m, /^--- (?:a\/)?(.*)$/m, /^diff --git a\/.* b\/(.*)$/m];
/** The first line in the new version, what is before the first change, and that change. */
const HUNK = /^@@ -\S+ \+(\d+).*\n((?: .*\n|\n)*)(.*)/gm;

export function hasDiff(text: string): boolean {
  return /^(?:diff --git |@@ -\d+)/m.test(text);
}

/** Summarizes a unified diff, with the places in the new version. Done only if nothing else was asked. */
export function summarizeDiff(text: string): PlanResult {
  const from = text.search(/^(?:diff --git |--- |@@ )/m);
  const files = text.slice(from).split(/^(?=diff --git )/m);
  const [added, removed] = ["+", "-"].map((sign) => formatCount(countLines(text.slice(from), sign), "line"));
  const lead = `The diff changes ${formatCount(files.length, "file")}: ${added} added, ${removed} removed.`;
  const summary = [lead, "", ...atMost(30, files.map(summarizeFile), "")].join("\n");
  const isAll = ASKS_WHAT.test(text) && !ASKS_MORE.test(text.slice(0, from));
  return isAll ? { ok: true, text: summary } : unsure(summary);
}

function summarizeFile(diff: string): string {
  const path = PATHS.map((pattern) => pattern.exec(diff)?.[1]?.trim()).find((found) => found) ?? "a file";
  const places = [...diff.matchAll(HUNK)].map(([, start, before = "", changed = ""]) => {
    const line = Number(start) + before.split("\n").length - 1;
    return `    ${path}:${Math.max(1, line)}  ${shorten(changed, 100)}`;
  });
  const how = /^(new|deleted|rename)/m.exec(diff)?.[1] ?? "changed";
  const lead = `${path}  ${how}, +${countLines(diff, "+")} -${countLines(diff, "-")}`;
  return [lead, ...atMost(5, places, "    ")].join("\n");
}

/** The two paths of a file are no lines of it. */
function countLines(diff: string, sign: string): number {
  const lines = diff.replace(/^--- .*\n\+\+\+ .*$/gm, "").split("\n");
  return lines.filter((line) => line.startsWith(sign)).length;
}
