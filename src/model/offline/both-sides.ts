import type { Span } from "./conflict-notice.ts";

/** One change of a text, as Edit takes it. */
export interface Change {
  readonly old: string;
  readonly fresh: string;
}

export type BothKept =
  /** `changes` one after the other; `kept`: where both sides stand afterwards, null where both are empty. */
  | { readonly type: "changes"; readonly changes: readonly Change[]; readonly kept: readonly (Span | null)[] }
  /** A line that was named begins or ends no marked place. */
  | { readonly type: "no-marks"; readonly at: Span };

/** Both sides of each marked place, the first one first, without the marks. `lines`: all of the file. */
export function keepBoth(lines: readonly string[], places: readonly Span[]): BothKept {
  const inOrder = [...places].sort((a, b) => a.from - b.from);
  const sides: string[][] = [];
  for (const place of inOrder) {
    const both = sidesOf(lines.slice(place.from - 1, place.to));
    if (both === undefined) return { type: "no-marks", at: place };
    sides.push(both);
  }
  // From the last one up: the places above stay where they are.
  let text = [...lines];
  const changes: Change[] = [];
  for (const [at, place] of [...inOrder.entries()].reverse()) {
    const both = sides[at] ?? [];
    changes.push(changeOf(text, place, both));
    text = text.toSpliced(place.from - 1, place.to - place.from + 1, ...both);
  }
  let moved = 0;
  const kept = inOrder.map(({ from, to }, at) => {
    const count = sides[at]?.length ?? 0;
    const first = from + moved;
    moved += count - (to - from + 1);
    return count === 0 ? null : { from: first, to: first + count - 1 };
  });
  return { type: "changes", changes, kept };
}

/** What stands between the marks, without what both began from; undefined where these are no such marks. */
function sidesOf(marked: readonly string[]): string[] | undefined {
  const size = /^<{7,}(?= |$)/.exec(marked[0] ?? "")?.[0].length;
  if (size === undefined) return undefined;
  const isMark = (line: string, sign: string) =>
    line.startsWith(sign.repeat(size)) && !line.startsWith(sign.repeat(size + 1));
  const middle = marked.findIndex((line) => line.trimEnd() === "=".repeat(size));
  const end = marked.length - 1;
  if (middle < 0 || !isMark(marked[end] ?? "", ">")) return undefined;
  const base = marked.findIndex((line, at) => at < middle && isMark(line, "|"));
  return [...marked.slice(1, base < 0 ? middle : base), ...marked.slice(middle + 1, end)];
}

/** With as many lines around it as are needed for it to stand there only once. */
function changeOf(text: readonly string[], { from, to }: Span, both: readonly string[]): Change {
  const all = text.join("\n");
  let first = from - 1;
  let end = to;
  // Nothing left would leave an empty line: one that stays is put in with it.
  if (both.length === 0 && end < text.length) end += 1;
  else if (both.length === 0 && first > 0) first -= 1;
  for (;;) {
    const old = text.slice(first, end).join("\n");
    const unique = all.indexOf(old) === all.lastIndexOf(old);
    if (unique || (first === 0 && end === text.length)) {
      const fresh = [...text.slice(first, from - 1), ...both, ...text.slice(to, end)].join("\n");
      return { old, fresh };
    }
    if (first > 0) first -= 1;
    else end += 1;
  }
}
