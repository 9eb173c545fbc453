import type { PlanResult } from "./plan.ts";
import { countNoun, cut } from "./tools.ts";

const MOST_PLACES = 5;
const MOST_FILES = 30;
const ASKS_WHAT = /^(?:please )?(?:what|which|summari[sz]e|describe|list|show|explain|outline)\b/i;

export function hasDiff(text: string): boolean {
  return /^(?:diff --git |@@ -\d+)/m.test(text);
}

/** Summarizes a unified diff, with the places in the new version. Done only if nothing else was asked. */
export function summarizeDiff(text: string, needsModel: string): PlanResult {
  const from = text.search(/^(?:diff --git |--- |@@ )/m);
  const files = text
    .slice(from)
    .split(/^(?=diff --git )/m)
    .flatMap(summarizeFile);
  const rows = files.slice(0, MOST_FILES).map(({ path, how, added, removed, places }) => {
    const shown = places
      .slice(0, MOST_PLACES)
      .map((place) => `\n    ${place}`)
      .join("");
    const more = places.length > MOST_PLACES ? `\n    (${places.length - MOST_PLACES} more)` : "";
    return `${path}  ${how}, +${added} -${removed}${shown}${more}`;
  });
  if (files.length > MOST_FILES) rows.push(`(${files.length - MOST_FILES} more files)`);
  const sum = (of: "added" | "removed") =>
    countNoun(
      files.reduce((all, file) => all + file[of], 0),
      "line",
    );
  const lead = `The diff changes ${countNoun(files.length, "file")}: ${sum("added")} added, ${sum("removed")} removed.`;
  const isAll =
    ASKS_WHAT.test(text) && !/\b(?:why|should|bugs?|wrong|safe|good|better)\b/i.test(text.slice(0, from));
  return { ok: isAll, text: [lead, rows.join("\n"), ...(isAll ? [] : [needsModel])].join("\n\n") };
}

function summarizeFile(diff: string) {
  const path = (/^\+\+\+ (?:b\/)?(?!\/dev\/null)(.*)$/m.exec(diff) ??
    /^--- (?:a\/)?(.*)$/m.exec(diff))?.[1]?.trim();
  const named = path ?? /^diff --git a\/.* b\/(.*)$/m.exec(diff)?.[1];
  if (named === undefined) return [];
  const how = /^(new|deleted|rename)/m.exec(diff)?.[1] ?? "changed";
  const hunks = diff.split(/^(?=@@ -)/m).slice(1);
  const places = hunks.map((hunk) => {
    const [head = "", ...lines] = hunk.split("\n");
    const first = lines.findIndex((line) => /^[+-]/.test(line));
    const at = Number(/\+(\d+)/.exec(head)?.[1] ?? 0) + Math.max(0, first);
    return `${named}:${Math.max(1, at)}  ${cut(lines[first] ?? "", 100)}`;
  });
  const count = (sign: string) =>
    hunks
      .join("\n")
      .split("\n")
      .filter((line) => line.startsWith(sign)).length;
  return [{ path: named, how, added: count("+"), removed: count("-"), places }];
}
