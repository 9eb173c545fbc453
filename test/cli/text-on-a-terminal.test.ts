import { describe, expect, test } from "vitest";
import { nearName } from "../../src/lib/near-name.ts";
import { cutToWidth, displayWidth, padToWidth } from "../../src/terminal/display-width.ts";
import { shortCount, shortTime } from "../../src/terminal/figures.ts";
import { safeLine, safeText } from "../../src/terminal/safe-text.ts";

describe("a text's width on a terminal", () => {
  test.each([
    ["", 0],
    ["plain", 5],
    ["äöü", 3],
    ["e\u0301", 1],
    ["你好", 4],
    ["カタカナ", 8],
    ["ﾊﾝｶｸ", 4],
    ["한글", 4],
    ["ＡＢ", 4],
    ["、。", 4],
    ["😀", 2],
    ["👍🏽", 2],
    ["👨‍👩‍👧‍👦", 2],
    ["🇨🇭", 2],
    ["❤️", 2],
    ["❤", 1],
    ["✓ ✗ ● …", 7],
    ["𠀀", 2],
    ["\u200d", 0],
    ["กำ", 2],
  ])("%j takes %i columns", (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });

  test.each([
    ["hello", 5, "hello"],
    ["hello", 4, "hel…"],
    ["hello", 1, "…"],
    ["hello", 0, ""],
    ["你好吗", 5, "你好…"],
    ["你好吗", 4, "你…"],
    ["你好吗", 2, "…"],
    ["a e\u0301e\u0301", 3, "a…"],
    ["👨‍👩‍👧‍👦x", 2, "…"],
  ])("%j cut to %i is %j", (text, width, cut) => {
    expect(cutToWidth(text, width)).toBe(cut);
    expect(displayWidth(cut)).toBeLessThanOrEqual(width);
  });

  test("is filled exactly, also where a wide character does not fit", () => {
    expect(padToWidth("你好", 6)).toBe("你好  ");
    expect(displayWidth(padToWidth("你好吗", 4))).toBe(4);
  });
});

describe("a text that a terminal may be shown", () => {
  test.each([
    ["keeps lines and tabs", "a\n\tb\r\nc", "a\n\tb\nc"],
    ["loses colours and cursor movements", "\u001b[31mred\u001b[0m\u001b[2J", "red"],
    ["loses links and titles", "\u001b]8;;http://x\u0007link\u001b]8;;\u0007", "link"],
    ["shows an escape that is no sequence", "\u001b", "␛"],
    ["shows a carriage return that would hide what stands before it", "rm -rf\rls", "rm -rf␍ls"],
    ["shows bells, backspaces and deletes", "\u0007\b\u007f", "␇␈␡"],
    ["shows C1 controls", "\u0085", "<U+0085>"],
    ["shows what reorders text", "a\u202eb", "a<U+202E>b"],
    ["drops what nobody can see", "a\u200bb\ufeff\u{e0041}", "ab"],
    ["keeps joined emoji and Persian joiners", "👨‍👩‍👧 می\u200cخواهم ❤️", "👨‍👩‍👧 می\u200cخواهم ❤️"],
    ["replaces half a character", "a\ud800b", "a\ufffdb"],
  ])("%s", (_, given, shown) => {
    expect(safeText(given)).toBe(shown);
  });

  test("is one line where one line is wanted", () => {
    expect(safeLine("  a\n\n b\tc\u2028d ")).toBe("a b c d");
  });
});

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1.0k"],
  [12_345, "12.3k"],
  [999_949, "999.9k"],
  [999_951, "1.0M"],
  [1_234_567, "1.2M"],
])("%i is %s", (count, words) => {
  expect(shortCount(count)).toBe(words);
});

test.each([
  [-5, "0.0 s"],
  [4_234, "4.2 s"],
  [9_960, "10 s"],
  [59_400, "59 s"],
  [59_600, "1 min 00 s"],
  [185_000, "3 min 05 s"],
  [3_720_000, "1 h 02 min"],
])("%i ms are %s", (ms, words) => {
  expect(shortTime(ms)).toBe(words);
});

test.each([
  ["fanot", "fanout"],
  ["FANOUT", "fanout"],
  ["sesions", "sessions"],
  ["strat", "start"],
  ["zebra", null],
  ["", null],
  ["a whole question about the code", null],
])("%j is taken for %s", (given, meant) => {
  expect(nearName(given, ["fanout", "start", "sessions", "agents"])).toBe(meant);
});
