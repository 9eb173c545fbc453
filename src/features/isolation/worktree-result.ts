import { formatCount, listSome, printable } from "../../lib/text.ts";
import type { Conflict, Isolation, WorktreeResult } from "../../mailbox/worktree.ts";
import type { Worktrees } from "../../worktrees/git-worker.ts";

/** Names in one line; there can be any number of files. */
const MOST_NAMED = 5;

/**
 * Formats the result of an agent's edits in one line, for the user and for the calling agent. File names are the
 * agent's text: they cannot break the line or hide what is next to them.
 */
export function worktreeLine(result: WorktreeResult, actorId: string): string {
  return [...outcomeParts(result, actorId), ...heldParts(result), ...(result.notes ?? []).map(inLine)].join(
    "; ",
  );
}

/** Formats the same in a few words, or null if there is nothing to report. */
export function worktreeGist(result: WorktreeResult): string | null {
  switch (result.outcome) {
    case "merged":
      return `${formatCount(result.files, "file")} ${result.commit === undefined ? "merged" : "committed"}`;
    case "conflict":
      return result.conflicts?.length
        ? `${formatCount(result.conflicts.length, "file")} in conflict`
        : "conflict";
    case "kept":
      return result.files === 0 ? "edits not merged" : `${formatCount(result.files, "file")} not merged`;
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

/** Lists what a merge held back. */
function heldParts({ held = [] }: WorktreeResult): string[] {
  if (held.length === 0) return [];
  const were = held.length === 1 ? "was" : "were";
  return [
    `${formatCount(held.length, "file")} ${were} not deleted, as no call of the agent did it: ${listSome(held.map(inLine), MOST_NAMED)}`,
  ];
}

/** Formats `3 files, +41 -7`, or `empty`: edits that are in no file could not be counted. */
function figures({ files, insertions, deletions }: WorktreeResult): string {
  if (files === 0) return "files not counted";
  return `${formatCount(files, "file")}, +${insertions} -${deletions}`;
}

function conflictWords({ conflicts = [] }: WorktreeResult): string {
  return conflicts.length === 0
    ? "conflict"
    : `conflict in ${listSome(conflicts.map(conflictName), MOST_NAMED)}`;
}

/** Names the marked lines of a conflict, or its kind if no lines are marked. */
export function conflictName({ path, kind, lines }: Conflict): string {
  const name = inLine(path);
  if (lines.length === 0) return kind === "content" ? name : `${name} (${inLine(kind)})`;
  const single = lines.length === 1 && lines[0]?.from === lines[0]?.to;
  const ranges = lines.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
  return `${name} (${single ? "line" : "lines"} ${listSome(ranges, MOST_NAMED)})`;
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

/** Formats a sentence to follow a semicolon; names in capitals keep them. */
function midLine(words: string): string {
  return /^[A-Z][a-z' ]/.test(words) ? words.charAt(0).toLowerCase() + words.slice(1) : words;
}

/** Removes the final stop, as more follows in the same line. */
function inLine(words: string): string {
  return printable(words.replace(/\s+/g, " ").trim().replace(/\.$/, ""));
}

/**
 * Resolves with the merge result of an agent if the program died after the merge and before the agent's end was
 * written; null if its edits are not merged yet.
 */
export async function resultBefore(
  worktrees: Pick<Worktrees, "list">,
  { name, checkout, branch, head }: Isolation,
): Promise<WorktreeResult | null> {
  const listed = await worktrees.list({ folder: checkout, name });
  if (listed.type === "refused") return null;
  const [tree] = listed.trees;
  if (tree?.result !== "merged" || tree.base === null) return null;
  const { path, base, counts } = tree;
  const { files, insertions, deletions } = counts ?? { files: 0, insertions: 0, deletions: 0 };
  return {
    ...{ outcome: "merged", files, insertions, deletions, base, head },
    // The merge's own name was lost in the crash; undo accepts the worktree's.
    merge: name,
    ...(path === null ? {} : { path, branch }),
  };
}

/** Returns a result for edits that could not be inspected; `why` is a sentence or empty. */
export function unknownResult(
  { name, path, branch, head }: Isolation,
  base: string | null,
  why: string,
): WorktreeResult {
  const known = `It is not known what happened to its edits; \`troupe worktrees diff ${name}\` shows those it had.`;
  return {
    ...{ outcome: "kept", reason: why === "" ? known : `${known} ${why}` },
    ...{ files: 0, insertions: 0, deletions: 0 },
    ...{ base: base ?? head ?? "", head, path, branch },
  };
}
