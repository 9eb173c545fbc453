import { existsSync, readSync } from "node:fs";
import { type DiffHunk, type FileDiff, pairLines } from "../lib/file-diff.ts";
import { openRegular } from "./regular-file.ts";
import type { CallPreview } from "./tool.ts";

/** What a call makes of a file; `before`: null for a new one. */
export interface TextChange {
  readonly before: string | null;
  readonly after: string;
}

/** The change of a larger file is not shown. */
export const MAX_DIFF_BYTES = 4 * 1024 * 1024;
/** Bytes that are read of a larger file. */
const SAMPLE = 64 * 1024;
const CONTEXT = 3;
/**
 * With more changed lines than that, a part counts as replaced as a whole. Limits of work and not of time: each machine shows
 * the same diff. Lines that are only added cost little, and long parts more for each change.
 */
const MOST_EDITS = 800;
const FEWEST_EDITS = 100;
const MOST_STEPS = 320_000;
const MOST_COMPARED = 8_000_000;
/** What is kept of a diff. */
const MAX_LINES = 400;
const MAX_CHARACTERS = 40_000;
/** Characters of one line, and those before its change. */
const MAX_LINE = 400;
const LEAD = 80;

/**
 * Returns what changes in a file, line by line and within bounds; null if it is too large. Never rejects: the file is
 * written by then.
 */
export async function diffFile(path: string, change: TextChange): Promise<FileDiff | null> {
  try {
    return await compare(path, change);
  } catch {
    return null;
  }
}

/** For hooks and events. */
export function diffField(diff: FileDiff | null): { readonly diff?: FileDiff } {
  return diff === null ? {} : { diff };
}

async function compare(path: string, { before, after }: TextChange): Promise<FileDiff | null> {
  const old = before ?? "";
  if (old.length > MAX_DIFF_BYTES || after.length > MAX_DIFF_BYTES) return null;
  const none = { path, isNew: before === null, added: 0, removed: 0, hunks: [], omitted: 0 };
  if (isBinary(old) || isBinary(after)) return { ...none, isBinary: true };
  const hunks = old === after ? [] : await findHunks(old, after, CONTEXT);
  const count = (sign: string) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0);
  const kept = limit(hunks);
  const omitted = sizeOf(hunks) - sizeOf(kept);
  return { ...none, added: count("+"), removed: count("-"), hunks: kept, omitted, isBinary: false };
}

/** Returns what a call would do to a file, from the same code that does it. Never rejects. */
export async function previewFile(
  path: string,
  change: (bytes: Buffer | null) => TextChange | null,
): Promise<CallPreview> {
  try {
    const existing = await readExisting(path);
    if (existing === "unknown" || existing?.isWhole === false) return {};
    const made = change(existing?.bytes ?? null);
    return diffField(made === null ? null : await diffFile(path, made));
  } catch {
    // The call itself says what is wrong with the file.
    return {};
  }
}

/** A file that a call replaces: its first bytes, and whether these are all. Null without one; `unknown` if it cannot be read. */
export async function readExisting(path: string): Promise<ExistingFile | null | "unknown"> {
  const found = await openRegular(path);
  if (found.type === "unusable") return existsSync(path) ? "unknown" : null;
  const { file, stats } = found;
  try {
    if (stats.size <= MAX_DIFF_BYTES) return { bytes: await file.readFile(), isWhole: true };
    const bytes = Buffer.alloc(SAMPLE);
    return { bytes: bytes.subarray(0, readSync(file.fd, bytes, 0, SAMPLE, 0)), isWhole: false };
  } catch {
    return "unknown";
  } finally {
    file.close();
  }
}

interface ExistingFile {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

/** Returns the changed parts of a text with `context` lines around each. Lines have no line feed at their end. */
export async function findHunks(before: string, after: string, context: number): Promise<DiffHunk[]> {
  const { structuredPatch } = await import("diff/lib/patch/create.js");
  const { start, end } = changedPart(before, after, context);
  const [old = "", fresh = ""] = [before, after].map((text) => text.slice(start, text.length - end));
  const offset = countLines(before.slice(0, start));
  const maxEditLength = mostEdits(countLines(old) + 1, countLines(fresh) + 1);
  const patch = structuredPatch("", "", old, fresh, "", "", { context, maxEditLength });
  const hunks = patch?.hunks ?? replaced(old, fresh);
  return hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    ...{ oldStart: oldStart + offset, oldLines, newStart: newStart + offset, newLines, lines },
  }));
}

function mostEdits(lines: number, others: number): number {
  const both = lines + others;
  const shorter = Math.min(lines, others);
  if (shorter * both <= MOST_STEPS) return both;
  return Math.min(MOST_EDITS, Math.max(FEWEST_EDITS, Math.floor(MOST_COMPARED / both)));
}

/** The lengths of what is the same at the start and at the end, in whole lines, less a few lines for the context. */
function changedPart(before: string, after: string, context: number): { start: number; end: number } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let end = 0;
  const [last, other] = [before.length - 1, after.length - 1];
  while (end < shorter - start && before.charCodeAt(last - end) === after.charCodeAt(other - end)) end += 1;
  const isStart = (at: number) => before[at - 1] === "\n";
  for (let lines = 0; start > 0 && lines <= context; ) if (isStart(--start)) lines += 1;
  for (let lines = 0; end > 0 && lines <= context; ) if (isStart(before.length - --end)) lines += 1;
  return { start, end };
}

/** If a comparison would be too much work. Two parts, so that the start of both is shown. */
function replaced(old: string, fresh: string): DiffHunk[] {
  const [removed = [], added = []] = [old, fresh].map(linesOf);
  const hunk = { oldStart: 1, oldLines: 0, newStart: 1, newLines: 0 };
  return [
    { ...hunk, oldLines: removed.length, lines: removed.map((line) => `-${line}`) },
    { ...hunk, newLines: added.length, lines: added.map((line) => `+${line}`) },
  ];
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function countLines(text: string): number {
  return text.split("\n").length - 1;
}

/** Git's own test. */
function isBinary(text: string): boolean {
  return text.slice(0, 8_000).includes("\0");
}

function sizeOf(hunks: readonly DiffHunk[]): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length, 0);
}

/** Keeps the first lines; one part does not use up the room of the others. */
function limit(hunks: readonly DiffHunk[]): DiffHunk[] {
  const kept: DiffHunk[] = [];
  const most = hunks.length > 1 ? MAX_LINES / 2 : MAX_LINES;
  let [lines, characters] = [MAX_LINES, MAX_CHARACTERS];
  for (const hunk of hunks) {
    const shown: string[] = [];
    for (const line of shortLines(hunk.lines)) {
      if (lines === 0 || shown.length === most || line.length > characters) break;
      characters -= line.length;
      lines -= 1;
      shown.push(line);
    }
    const without = (sign: string) => shown.filter((line) => line[0] !== sign && line[0] !== "\\").length;
    if (shown.length > 0)
      kept.push({ ...hunk, oldLines: without("+"), newLines: without("-"), lines: shown });
  }
  return kept;
}

/** Cuts lines that are too long to read, such as those of minified code, around what differs from the line that they replace. */
function* shortLines(lines: readonly string[]): Generator<string> {
  const pairs = lines.some((line) => line.length > MAX_LINE) ? pairLines(lines) : new Map<number, number>();
  for (const [at, line] of lines.entries()) {
    if (line.length <= MAX_LINE) {
      yield line;
      continue;
    }
    const other = lines[pairs.get(at) ?? -1] ?? "";
    let same = 1;
    while (same < line.length && line[same] === other[same]) same += 1;
    const from = pairs.has(at) ? Math.max(1, Math.min(same - LEAD, line.length - MAX_LINE)) : 1;
    const part = line.slice(from, from + MAX_LINE);
    yield `${line[0]}${from > 1 ? "…" : ""}${part}${from + MAX_LINE < line.length ? "…" : ""}`.toWellFormed();
  }
}
