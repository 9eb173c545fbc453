import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  endOf,
  formatSize,
  MAX_OUTPUT_CHARS,
  plainText,
  shownOutput,
} from "../../src/tools/command-output.ts";
import { long } from "../support/long.ts";

const whole = (head: string, path: string | null = "/out.txt") =>
  shownOutput({ bytes: Buffer.byteLength(head), head, tail: null, path });

describe("what the model sees of a command's output (A7.1)", () => {
  test("short output is shown as it is, without the line breaks at its end", () => {
    expect(whole("a\n\n  b\n\n")).toBe("a\n\n  b");
    expect(whole("")).toBe("");
    expect(whole(`${"x".repeat(MAX_OUTPUT_CHARS)}\n`)).toBe("x".repeat(MAX_OUTPUT_CHARS));
  });

  test("what is too long is cut in its middle, never through a character, and the mark names file and size", () => {
    const shown = whole("🙂".repeat(20_001));
    expect(shown).toContain(
      "[Cut here: the output is 80.0 kB. All of it is in /out.txt: read the parts you need",
    );
    expect(shown.isWellFormed()).toBe(true);
    expect(shown.length).toBeLessThan(MAX_OUTPUT_CHARS + 200);
  });

  test("of two ends both are shown, however long the lines are", () => {
    const line = `${"y".repeat(40_000)}\n`;
    const shown = shownOutput({ bytes: 1e9, head: line, tail: line, path: "/out.txt" });
    expect(shown).toMatch(/^y{15000}\n\[Cut here: the output is 1\.0 GB\..*\]\ny{15000}$/);
  });

  test("ends that colours made long and that are short without them are shown whole", () => {
    const colours = "\u001b[31mred\u001b[0m\n".repeat(3_000);
    const shown = shownOutput({ bytes: 5e6, head: colours, tail: colours, path: "/out.txt" });
    expect(shown.match(/^red$/gm)?.length).toBe(6_000);
  });

  test("the last part of a text starts with a line if one is near", () => {
    expect(endOf("one\ntwo\nthree", 9)).toBe("two\nthree".slice(0));
    expect(endOf("one\ntwo\nthree", 7)).toBe("three");
    expect(endOf("onelongword", 4)).toBe("word");
    expect(endOf("short", 10)).toBe("short");
  });

  test.each([
    [0, "0 B"],
    [999, "999 B"],
    [30_001, "30.0 kB"],
    [12_345_678, "12.3 MB"],
    [1_000_000_000, "1.0 GB"],
  ])("%i bytes are %s", (bytes, words) => {
    expect(formatSize(bytes)).toBe(words);
  });
});

describe("plain text (fault 30)", () => {
  test.each([
    ["a\u0000b", "a␀b"],
    ["\u001b[1;31mred\u001b[0m", "red"],
    ["\u001b]0;title\u0007after", "after"],
    ["\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "link"],
    // A string that never ends hides nothing.
    ["\u001b]0;no end\nnext", "0;no end\nnext"],
    ["\u001b(Bplain\u001b=\u001b>", "plain"],
    ["\u009b31mred", "red"],
    ["lone \u001b", "lone "],
    ["a\r\nb\rc", "a\nb\nc"],
    ["tab\tand\u0008\u0007\u007f", "tab\tand␈␇␡"],
    ["\ud800x\udc00", "\ufffdx\ufffd"],
  ])("%j is %j", { tags: ["long"] }, (raw, plain) => {
    expect(plainText(raw)).toBe(plain);
  });

  test("whatever comes, it is well-formed, no longer than it was, and free of controls", {
    tags: ["long"],
  }, () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "\u001b",
        "\u001b[",
        "\u001b]",
        "\u0007",
        "\u009b",
        "31m",
        "\r",
        "\n",
        "\ud83d",
        "\0",
        "\u001b\\",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const raw = pieces.join("");
        const plain = plainText(raw);
        expect(plain.length).toBeLessThanOrEqual(raw.length);
        expect(plain.isWellFormed()).toBe(true);
        expect(/[\p{Cc}]/u.test(plain.replace(/[\t\n]/g, ""))).toBe(false);
      }),
      { seed: 7, numRuns: long(500, 100) },
    );
  });

  test("hostile sequences take no more than a look", () => {
    const hostile = [
      `\u001b[${"1;".repeat(200_000)}`,
      "\u001b]".repeat(100_000),
      `\u001b]${"x".repeat(400_000)}`,
    ];
    for (const text of hostile) expect(plainText(text).length).toBeLessThanOrEqual(text.length);
  });
});
