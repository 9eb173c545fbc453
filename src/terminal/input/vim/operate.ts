import type { Operator, Target } from "./command.ts";
import {
  type Buffer,
  endOfRun,
  type Find,
  firstOfLine,
  isBlank,
  lineEnd,
  lineStart,
  type MovedTo,
  motions,
  otherCase,
  splice,
  type Units,
} from "./motions.ts";
import { textObject } from "./text-objects.ts";

/** What was deleted or copied last. */
export interface Register {
  readonly units: Units;
  readonly isLines: boolean;
}

/** What an operator takes: `to` is behind its last character. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly isLines: boolean;
  /** Where copying leaves the cursor. */
  readonly back: number;
}

export interface TargetContext {
  readonly count: number | undefined;
  readonly find: Find | null;
  readonly column: number;
}

/** More than a prompt ever has; a count may ask for it. */
const MOST_PUT = 100_000;

export function move(buffer: Buffer, name: string, context: TargetContext): MovedTo | null {
  return motions.get(name)?.(buffer, context) ?? null;
}

/** Returns what the target is at the cursor, or null if there is no such thing. */
export function rangeOf(
  buffer: Buffer,
  target: Target,
  operator: Operator,
  context: TargetContext,
): Range | null {
  const { units, at } = buffer;
  const { count = 1 } = context;
  switch (target.type) {
    case "lines": {
      const last = move(buffer, "j", { ...context, count: count - 1 });
      const to = lineEnd(units, count > 1 && last ? last.at : at);
      return { from: lineStart(units, at), to, isLines: true, back: at };
    }
    case "object": {
      const span = textObject(buffer, target.name, target.isAround, count);
      return span && { from: span[0], to: span[1], isLines: false, back: span[0] };
    }
    case "motion": {
      // At the end of a line there is nothing to change, but something to type.
      const none = operator === "c" && target.name === "l" ? { at } : null;
      const moved: MovedTo | null = move(buffer, target.name, context) ?? none;
      if (moved === null) return null;
      const [from, last] = moved.at < at ? [moved.at, at] : [at, moved.at];
      if (moved.isLines)
        return { from: lineStart(units, from), to: lineEnd(units, last), isLines: true, back: from };
      const to = moved.isInclusive ? Math.min(units.length, last + 1) : last;
      const isWord = target.name === "w" || target.name === "W";
      return {
        from,
        to: isWord ? wordsEnd(buffer, to, operator, target.name) : to,
        isLines: false,
        back: from,
      };
    }
    default:
      return target satisfies never;
  }
}

/** Words that are taken end with the last one's line; a changed one keeps the blanks behind it. */
function wordsEnd({ units, at }: Buffer, to: number, operator: Operator, name: string): number {
  const isBig = name === "W";
  let end = to;
  while (end > at && isBlank(units[end - 1])) end -= 1;
  if (end === at) return Math.min(to, Math.max(lineEnd(units, at), at));
  if (operator === "c") return Math.max(end, Math.min(to, endOfRun(units, at, isBig) + 1));
  return Math.min(to, lineEnd(units, end));
}

export function take({ units }: Buffer, { from, to, isLines }: Range): Register {
  return { units: units.slice(from, to), isLines };
}

export function remove({ units }: Buffer, { from, to, isLines }: Range): Buffer {
  if (!isLines) return { units: splice(units, from, to), at: from };
  const isLast = to === units.length;
  const rest = splice(units, isLast ? Math.max(0, from - 1) : from, isLast ? to : to + 1);
  return { units: rest, at: firstOfLine(rest, Math.min(from, rest.length)) };
}

/** Puts the register behind the cursor, or before it. */
export function put(
  { units, at }: Buffer,
  { units: kept, isLines }: Register,
  isBefore: boolean,
  count: number,
): Buffer {
  if (kept.length === 0 && !isLines) return { units, at };
  const times = Math.max(1, Math.min(count, Math.floor(MOST_PUT / (kept.length + 1))));
  const end = lineEnd(units, at);
  if (isLines) {
    const lines = Array.from({ length: times }, () => (isBefore ? [...kept, "\n"] : ["\n", ...kept])).flat();
    const from = isBefore ? lineStart(units, at) : end;
    const put = splice(units, from, from, lines);
    return { units: put, at: firstOfLine(put, isBefore ? from : from + 1) };
  }
  const from = isBefore || end === at ? at : at + 1;
  const text = Array.from({ length: times }, () => kept).flat();
  const last = text.includes("\n") ? from : from + text.length - 1;
  return { units: splice(units, from, from, text), at: last };
}

export function replace({ units, at }: Buffer, unit: string, count: number): Buffer | null {
  if (at + count > lineEnd(units, at)) return null;
  return { units: splice(units, at, at + count, Array(count).fill(unit)), at: at + count - 1 };
}

export function toggleCase({ units, at }: Buffer, count: number): Buffer {
  const to = Math.min(lineEnd(units, at), at + count);
  return { units: splice(units, at, to, units.slice(at, to).map(otherCase)), at: to };
}

/** Joins as many lines, two at least, with one blank between them. */
export function join({ units, at }: Buffer, count: number): Buffer | null {
  let joined: Buffer = { units, at };
  for (let left = Math.max(1, count - 1); left > 0; left--) {
    const end = lineEnd(joined.units, joined.at);
    if (end === joined.units.length) break;
    const next = firstOfLine(joined.units, end + 1);
    const needsNone =
      end === lineStart(joined.units, end) ||
      isBlank(joined.units[end - 1]) ||
      next === lineEnd(joined.units, next);
    joined = { units: splice(joined.units, end, next, needsNone ? [] : [" "]), at: end };
  }
  return joined.units === units ? null : joined;
}
