import { counted } from "../../lib/figures.ts";
import { printable } from "../../lib/printable.ts";
import type { Conflict, WorktreeResult } from "../../mailbox/worktree.ts";

/** Names in one line; there can be any number of files. */
const MOST_NAMED = 5;

/**
 * What became of an agent's edits, in one line: for a person under its result, and for the agent that started it. Names
 * of files are the agent's words: nothing in them can break the line or hide what stands beside them.
 */
export function worktreeLine(result: WorktreeResult, actorId: string): string {
  return [...outcomeParts(result, actorId), ...heldParts(result), ...(result.notes ?? []).map(inLine)].join(
    "; ",
  );
}

/** The same in a few words, for a line that has other things to say; null where there is nothing to tell. */
export function worktreeGist(result: WorktreeResult): string | null {
  switch (result.outcome) {
    case "merged":
      return `${counted(result.files, "file")} ${result.commit === undefined ? "merged" : "committed"}`;
    case "conflict":
      return result.conflicts?.length
        ? `${counted(result.conflicts.length, "file")} in conflict`
        : "conflict";
    case "kept":
      return result.files === 0 ? "edits not merged" : `${counted(result.files, "file")} not merged`;
    case "empty":
      return null;
    default:
      return result.outcome satisfies never;
  }
}

function outcomeParts(result: WorktreeResult, actorId: string): string[] {
  switch (result.outcome) {
    case "merged":
      return [
        `${figures(result)}, ${result.commit === undefined ? "merged" : `merged and committed as ${result.commit.slice(0, 10)}`}`,
        ...(result.merge === undefined ? [] : [`undo: troupe undo ${actorId}`]),
      ];
    case "conflict":
      return [
        conflictWords(result),
        ...whyWords(result),
        `the edits (${figures(result)}) are ${where(result)}`,
      ];
    case "kept":
      return [
        `${figures(result)}, not merged`,
        ...whyWords(result),
        `the edits are ${where(result)}`,
        ...(result.branch === undefined
          ? []
          : [`merge them or see conflicts: troupe worktrees merge ${actorId}`]),
      ];
    case "empty":
      return ["no edits", ...whyWords(result)];
    default:
      return result.outcome satisfies never;
  }
}

/** Where a merge did not bring everything back. */
function heldParts({ held = [] }: WorktreeResult): string[] {
  if (held.length === 0) return [];
  const were = held.length === 1 ? "was" : "were";
  return [
    `${counted(held.length, "file")} ${were} not deleted, as no call of the agent did it: ${named(held.map(inLine))}`,
  ];
}

/** `3 files, +41 -7`. Without edits a tree is `empty`: edits that are in no file could not be counted. */
function figures({ files, insertions, deletions }: WorktreeResult): string {
  if (files === 0) return "files not counted";
  return `${counted(files, "file")}, +${insertions} -${deletions}`;
}

function conflictWords({ conflicts = [] }: WorktreeResult): string {
  return conflicts.length === 0 ? "conflict" : `conflict in ${named(conflicts.map(conflictName))}`;
}

/** Marked lines say what is to be looked at; where there are none, the kind of the conflict does. */
function conflictName({ path, kind, lines }: Conflict): string {
  const name = inLine(path);
  if (lines.length === 0) return kind === "content" ? name : `${name} (${inLine(kind)})`;
  const single = lines.length === 1 && lines[0]?.from === lines[0]?.to;
  const spans = named(lines.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)));
  return `${name} (${single ? "line" : "lines"} ${spans})`;
}

function whyWords({ reason }: WorktreeResult): string[] {
  return reason === undefined || reason.trim() === "" ? [] : [midLine(inLine(reason))];
}

function where({ branch, path }: WorktreeResult): string {
  const places = [
    ...(branch === undefined ? [] : [`on branch ${inLine(branch)}`]),
    ...(path === undefined ? [] : [`in ${inLine(path)}`]),
  ];
  return places.length === 0 ? "in the snapshots of its worktree (troupe worktrees list)" : places.join(" ");
}

function named(names: readonly string[]): string {
  const left = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}

/** A sentence that goes on after a semicolon; names in capitals keep them. */
function midLine(words: string): string {
  return /^[A-Z][a-z' ]/.test(words) ? words.charAt(0).toLowerCase() + words.slice(1) : words;
}

/** Sentences lose their stop: more follows in the same line. */
function inLine(words: string): string {
  return printable(words.replace(/\s+/g, " ").trim().replace(/\.$/, ""));
}
