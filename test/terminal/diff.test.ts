import { describe, expect, test } from "vitest";
import type { DiffHunk, FileDiff } from "../../src/lib/file-diff.ts";
import { inColour, plain } from "../../src/terminal/colour.ts";
import { createWords, diffCount, diffRows } from "../../src/terminal/diff.ts";
import { displayWidth } from "../../src/terminal/display-width.ts";

const words = createWords();
await words.load();

const hunk = (start: number, ...lines: string[]): DiffHunk => ({
  ...{ oldStart: start, newStart: start, lines },
  oldLines: lines.filter((line) => line[0] !== "+").length,
  newLines: lines.filter((line) => line[0] !== "-").length,
});
const diffOf = (...hunks: DiffHunk[]): FileDiff => {
  const count = (sign: string) =>
    hunks.flatMap(({ lines }) => lines).filter((line) => line[0] === sign).length;
  return {
    path: "/f",
    isNew: false,
    added: count("+"),
    removed: count("-"),
    hunks,
    omitted: 0,
    isBinary: false,
  };
};
const frame = { columns: 60, paint: plain, compare: words.compare, most: 8, context: 1, wraps: false };

describe("a change of a file on a terminal (issue 21, 3)", () => {
  test("is its lines with signs and numbers, with a mark between its parts", () => {
    const diff = diffOf(hunk(8, " h", " i", "-old", "+new", "+more"), hunk(100, "-gone"));
    expect(diffRows(diff, frame)).toEqual([
      "    9   i",
      "   10 - old",
      "   10 + new",
      "   11 + more",
      "  ⋮",
      "  100 - gone",
    ]);
    expect(diffCount(diff)).toBe("+2 -2");
  });

  test("marks the words that changed, unless most of the line did", () => {
    const diff = diffOf(hunk(1, "-const a = one(b);", "+const a = two(b);"), hunk(9, "-abc", "+xyz"));
    const rows = diffRows(diff, { ...frame, paint: inColour }).join("\n");
    const marked = rows.split("\u001b[7m").flatMap((part, at) => (at === 0 ? [] : part.match(/^\w+/)));
    expect(marked).toEqual(["one", "two"]);
  });

  test("is folded to a few rows, and counts the lines that are not shown", () => {
    const many = Array.from({ length: 400 }, (_, at) => `+line ${at}`);
    const rows = diffRows({ ...diffOf(hunk(1, ...many)), added: 10_000, omitted: 9_600 }, frame);
    expect(rows).toHaveLength(9);
    expect(rows.at(-1)).toBe("  … 9992 more changed lines");
  });

  test.each([8, 20, 39, 40, 80, 300])(
    "fits %d columns, whatever the lines hold, and lets nothing through",
    (columns) => {
      const hostile = [
        "\u001b[2J\u001b]0;title\u0007",
        "\t\ttabs",
        "表".repeat(500),
        "x".repeat(400),
        "\u202eabc\u200b",
        "a\rb",
      ];
      const diff = diffOf(
        hunk(99_998, ...hostile.flatMap((line) => [`-${line}`, `+${line}!`]), "\\ No newline at end of file"),
      );
      for (const wraps of [true, false]) {
        const rows = diffRows(diff, { ...frame, columns, wraps, most: 40 });
        expect(rows.length).toBeLessThanOrEqual(41);
        for (const row of rows) {
          expect(displayWidth(row)).toBeLessThanOrEqual(columns);
          expect(row).not.toMatch(/[\p{Cc}\u202e\u200b]/u);
        }
      }
    },
  );

  test("shows the carriage returns only of some lines", () => {
    expect(diffRows(diffOf(hunk(1, " a\r", "-b\r", "+c\r")), frame).join("")).not.toContain("␍");
    expect(diffRows(diffOf(hunk(1, "-b\r", "+b")), frame)).toEqual(["  1 - b␍", "  1 + b"]);
  });

  test("of bytes or of nothing is said in words", () => {
    expect(diffCount({ ...diffOf(), isBinary: true })).toBe("not text");
    expect(diffCount(diffOf())).toBe("no change");
    expect(diffRows(diffOf(), frame)).toEqual([]);
  });
});
