/** What a benchmark is told. */
export interface BenchOptions {
  /** Fewer samples, for a first look. */
  readonly quick: boolean;
  /** Modules of other tools, for benchmarks that compare tools. */
  readonly adapters: readonly string[];
}

/** One line of the table. All values are medians unless the note says otherwise. */
export interface BenchResult {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  /** What cannot be beaten, measured in the same run; null where there is none. */
  readonly floor: number | null;
  /** What is to be reached; null where the line is for information. */
  readonly target: Target | null;
  readonly note?: string;
}

export type Target =
  /** Ours is at most this many times the floor. */
  | { readonly type: "ratio-at-most"; readonly limit: number }
  /** Ours is at least this part of the floor. */
  | { readonly type: "ratio-at-least"; readonly limit: number }
  /** Ours is at most this, in the line's own unit. */
  | { readonly type: "at-most"; readonly limit: number };

export const timesFloor = (limit: number): Target => ({ type: "ratio-at-most", limit });
export const partOfFloor = (limit: number): Target => ({ type: "ratio-at-least", limit });
export const atMost = (limit: number): Target => ({ type: "at-most", limit });

export function ratioOf({ ours, floor }: BenchResult): number | null {
  return floor === null || floor === 0 ? null : ours / floor;
}

/** Null where there is no target, or no floor to compare with. */
export function isReached(result: BenchResult): boolean | null {
  const { target, ours } = result;
  const ratio = ratioOf(result);
  switch (target?.type) {
    case undefined:
      return null;
    case "at-most":
      return ours <= target.limit;
    case "ratio-at-most":
      return ratio === null ? null : ratio <= target.limit;
    case "ratio-at-least":
      return ratio === null ? null : ratio >= target.limit;
    default:
      return target satisfies never;
  }
}

/** A benchmark that counts instead of measuring times: a table of its own, in Markdown, and what is in it for programs. */
export interface OwnTable {
  readonly table: string;
  readonly data: unknown;
}
