import { formatCount } from "../../lib/figures.ts";
import { shorten } from "../../lib/text.ts";
import { type PlanResult, unsure } from "./plan.ts";

const MOST_PLACES = 5;
const MOST_FILES = 30;
const ASKS_WHAT = /^(?:please )?(?:what|which|summari[sz]e|describe|list|show|explain|outline)\b/i;
const ASKS_MORE = /\b(?:why|should|bugs?|wrong|safe|good|better)\b/i;

export function hasDiff(text: string): boolean {
  return /^(?:diff --git |@@ -\d+)/m.test(text);
}

/** Summarizes a unified diff, with the places in the new version. Done only if nothing else was asked. */
export function summarizeDiff(text: string): PlanResult {
  const from = text.search(/^(?:diff --git |--- |@@ )/m);
  const parts = text.slice(from).split(/^(?=diff --git )/m);
  const files = parts.flatMap(summarizeFile);
  const rows = files.slice(0, MOST_FILES).map(({ row }) => row);
  if (files.length > MOST_FILES) rows.push(`(${files.length - MOST_FILES} more files)`);
  const sum = (of: "added" | "removed") => files.reduce((all, file) => all + file[of], 0);
  const lead = `The diff changes ${formatCount(files.length, "file")}: ${formatCount(sum("added"), "line")} added, ${formatCount(sum("removed"), "line")} removed.`;
  const summary = `${lead}\n\n${rows.join("\n")}`;
  const isAll = ASKS_WHAT.test(text) && !ASKS_MORE.test(text.slice(0, from));
  return isAll ? { ok: true, text: summary } : unsure(summary);
}

function summarizeFile(diff: string) {
  const path = [
    /^\+\+\+ (?:b\/)?(?!\/dev\/null)(.*)$/m,
    /^--- (?:a\/)?(.*)$/m,
    /^diff --git a\/.* b\/(.*)$/m,
  ].reduce((found, pattern) => found || (pattern.exec(diff)?.[1]?.trim() ?? ""), "");
  if (path === "") return [];
  const hunks = diff.split(/^(?=@@ -)/m).slice(1);
  const places = hunks.map((hunk) => {
    const [head = "", ...lines] = hunk.split("\n");
    const first = lines.findIndex((line) => /^[+-]/.test(line));
    const at = Number(/\+(\d+)/.exec(head)?.[1] ?? 0) + Math.max(0, first);
    return `\n    ${path}:${Math.max(1, at)}  ${shorten(lines[first] ?? "", 100)}`;
  });
  const count = (sign: RegExp) => hunks.join("\n").match(sign)?.length ?? 0;
  const [added, removed] = [count(/^\+/gm), count(/^-/gm)];
  const how = /^(new|deleted|rename)/m.exec(diff)?.[1] ?? "changed";
  const left = places.length - MOST_PLACES;
  const more = left > 0 ? `\n    (${left} more)` : "";
  const row = `${path}  ${how}, +${added} -${removed}${places.slice(0, MOST_PLACES).join("")}${more}`;
  return [{ row, added, removed }];
}
