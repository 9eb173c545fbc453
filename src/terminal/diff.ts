import { type DiffHunk, type FileDiff, pairLines } from "../lib/file-diff.ts";
import type { Paint } from "./colour.ts";
import { cutToWidth } from "./display-width.ts";
import { counted } from "./figures.ts";
import { cutSpans, drawSpans, type Format, type StyledSpan } from "./markdown/spans.ts";
import { visibleText } from "./safe-text.ts";

export interface DiffFrame {
  readonly columns: number;
  readonly paint: Paint;
  readonly compare: CompareWords;
  /** Rows, without the one that counts the rest. */
  readonly most: number;
  /** Unchanged lines around a change. */
  readonly context: number;
  /** Whether long lines continue in the next row; otherwise they are cut. */
  readonly wraps: boolean;
}

/** Narrower terminals have no room for line numbers. */
const NARROW = 40;

/** `+3 -2`; what else can be said of a file without changed lines. */
export function diffCount({ added, removed, isBinary }: FileDiff): string {
  if (isBinary) return "not text";
  const counts = [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`-${removed}`] : [])];
  return counts.length > 0 ? counts.join(" ") : "no change";
}

/** Returns the changed lines with their numbers, and every character visible; the last row counts what does not fit. */
export function diffRows(diff: FileDiff, frame: DiffFrame): string[] {
  const { columns, paint, most } = frame;
  const hunks = diff.hunks.map((hunk) => numbered(hunk, frame.context)).filter((lines) => lines.length > 0);
  const digits = Math.max(0, ...hunks.flat().map(({ number }) => String(number ?? "").length));
  const share = hunks.length > 1 ? Math.max(1, Math.floor(most / 2)) : most;
  const keepsCr = !hunks.flat().every(({ sign, text }) => sign === "\\" || text.endsWith("\r"));
  const rows: string[] = [];
  let left = diff.added + diff.removed;
  for (const [index, lines] of hunks.entries()) {
    if (index > 0 && rows.length + 1 < most) rows.push(paint("dim", "  ⋮"));
    const room = Math.min(share, most - rows.length);
    const part: string[] = [];
    for (const line of lines) {
      const more = lineRows(line, digits, keepsCr, frame);
      if (part.length + more.length > room && (part.length > 0 || rows.length > 0)) break;
      part.push(...more.slice(0, room));
      if (line.sign === "+" || line.sign === "-") left -= 1;
    }
    rows.push(...part);
  }
  return left <= 0
    ? rows
    : [...rows, paint("dim", cutToWidth(`  … ${counted(left, "more changed line")}`, columns))];
}

type Sign = " " | "+" | "-" | "\\";

interface Line {
  readonly sign: Sign;
  /** In the new file, or of a removed line in the old one; null for a note. */
  readonly number: number | null;
  readonly text: string;
  /** The line that replaces it, or that it replaces. */
  readonly other: string | null;
}

function numbered({ oldStart, newStart, lines }: DiffHunk, context: number): Line[] {
  const pairs = pairLines(lines);
  const changes = lines.flatMap((line, at) => (line.startsWith(" ") ? [] : [at]));
  let [old, fresh] = [oldStart, newStart];
  return lines.flatMap((line, at): Line[] => {
    const sign = signOf(line);
    const number = sign === "\\" ? null : sign === "-" ? old : fresh;
    if (sign === "-" || sign === " ") old += 1;
    if (sign === "+" || sign === " ") fresh += 1;
    if (sign === " " && !changes.some((change) => Math.abs(change - at) <= context)) return [];
    const pair = pairs.get(at);
    return [
      {
        sign,
        number,
        text: line.slice(1),
        other: pair === undefined ? null : (lines[pair]?.slice(1) ?? null),
      },
    ];
  });
}

function signOf(line: string): Sign {
  const [first] = line;
  return first === "+" || first === "-" || first === "\\" ? first : " ";
}

const COLOUR: Readonly<Record<Sign, readonly Format[]>> = {
  "+": ["green"],
  "-": ["red"],
  " ": [],
  "\\": ["dim"],
};

function lineRows(line: Line, digits: number, keepsCr: boolean, frame: DiffFrame): string[] {
  const { columns, paint, wraps } = frame;
  const { sign, number } = line;
  const figure = columns < NARROW ? "" : `${String(number ?? "").padStart(digits)} `;
  const room = Math.max(2, columns - figure.length - 4);
  const spans = piecesOf(line, frame.compare).map(({ text, isChanged }): StyledSpan => {
    const shown = text.split("\t").map(visibleText).join("    ");
    const formats = isChanged ? [...COLOUR[sign], "inverse" as const] : COLOUR[sign];
    return { text: keepsCr ? shown : shown.replace(/␍$/, ""), formats };
  });
  const [first = [], ...others] = cutSpans(spans, room);
  const lead = `  ${paint("dim", figure)}${drawSpans([{ text: `${sign} `, formats: COLOUR[sign] }], paint)}`;
  if (others.length === 0) return [lead + drawSpans(first, paint)];
  if (wraps) {
    const indent = " ".repeat(figure.length + 4);
    return [lead + drawSpans(first, paint), ...others.map((row) => indent + drawSpans(row, paint))];
  }
  return [`${lead}${drawSpans(cutSpans(spans, room - 1)[0] ?? [], paint)}…`];
}

function piecesOf({ sign, text, other }: Line, compare: CompareWords): readonly WordPiece[] {
  const whole = [{ text, isChanged: false }];
  if (other === null) return whole;
  if (sign === "-") return compare(text, other)?.removed ?? whole;
  return compare(other, text)?.added ?? whole;
}

/** A part of a line, and whether the other line has another one there. */
export interface WordPiece {
  readonly text: string;
  readonly isChanged: boolean;
}

/** Returns two lines in pieces; null if most of them differs, or if they are too long to compare. */
export type CompareWords = (
  removed: string,
  added: string,
) => { readonly removed: readonly WordPiece[]; readonly added: readonly WordPiece[] } | null;

/** With more changes than that a line reads better as a whole. */
const MOST_CHANGED = 0.6;
const LONGEST = 1_000;
const MOST_EDITS = 80;

export function createWords() {
  let library: typeof import("diff/lib/diff/word.js") | null = null;
  return {
    /** Loads what compares; until then no words are marked. Never rejects. */
    async load() {
      library = await import("diff/lib/diff/word.js").catch(() => null);
    },
    compare(removed: string, added: string): ReturnType<CompareWords> {
      if (library === null || removed.length > LONGEST || added.length > LONGEST) return null;
      const parts = library.diffWordsWithSpace(removed, added, { maxEditLength: MOST_EDITS });
      const changed = (parts ?? []).reduce(
        (sum, part) => sum + (part.added || part.removed ? part.value.length : 0),
        0,
      );
      if (!parts || changed > MOST_CHANGED * (removed.length + added.length)) return null;
      return {
        removed: parts.filter((part) => !part.added).map(pieceOf),
        added: parts.filter((part) => !part.removed).map(pieceOf),
      };
    },
  };
}

function pieceOf({ value, added, removed }: { value: string; added: boolean; removed: boolean }): WordPiece {
  return { text: value, isChanged: added || removed };
}
