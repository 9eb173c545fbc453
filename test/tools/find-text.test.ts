import fc from "fast-check";
import { expect, test } from "vitest";
import { findSpans } from "../../src/tools/replace-text.ts";

const few = (signs: string[], most: number) =>
  fc.array(fc.constantFrom(...signs), { maxLength: most }).map((parts) => parts.join(""));

/** The same in a few words, and slow. */
function naive(text: string, wanted: string, all: boolean): { start: number; end: number }[] {
  const isFolded = wanted.includes("\n") && !wanted.includes("\r") && text.includes("\r\n");
  const lineEnd = isFolded ? "(?:\\r\\n|(?<!\\r)\\n)" : "\\n";
  const regex = new RegExp(wanted.replaceAll("\n", lineEnd).replaceAll("\r", "\\r"), "g");
  const found: { start: number; end: number }[] = [];
  for (let match = regex.exec(text); match !== null; match = regex.exec(text)) {
    found.push({ start: match.index, end: match.index + match[0].length });
    if (!all) regex.lastIndex = match.index + 1;
  }
  return found;
}

test("property: every place is found, with either line end, overlapping or not", () => {
  fc.assert(
    fc.property(
      few(["a", "b", "\n", "\r\n", "\r"], 30),
      few(["a", "b", "\n", "\r"], 5).filter((wanted) => wanted !== ""),
      fc.boolean(),
      (text, wanted, all) => {
        expect(findSpans(text, wanted, all)).toEqual(naive(text, wanted, all));
      },
    ),
    { seed: 3, numRuns: 2_000 },
  );
});

test("places in a file of equal lines are counted up to a limit", () => {
  const text = "aab\n".repeat(100_000);
  expect(findSpans(text, "aab\n".repeat(20), false)).toHaveLength(10_000);
  expect(findSpans(text, "aab\n".repeat(2), true)).toHaveLength(50_000);
});
