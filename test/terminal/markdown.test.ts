// @module-tag long
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { inColour, type Paint, plain } from "../../src/terminal/colour.ts";
import { displayWidth } from "../../src/terminal/display-width.ts";
import { createMarkdown, type Markdown } from "../../src/terminal/markdown/reply.ts";

const ESC = "\u001b";
const markdownWith = (paint: Paint): Markdown => createMarkdown({ paint, cwd: () => "/w" });
const colours = markdownWith(inColour);

beforeAll(() => colours.ready("```ts\n```\n```py\n```\n```sh\n```"));

const LINK = /\p{Cc}\]8;;\P{Cc}*\p{Cc}/gu;
const LOOK = /\p{Cc}\[\d+m/gu;
const bare = (row: string): string => row.replace(LINK, "").replace(LOOK, "");
const rowsOf = (text: string, columns = 80, paint: Paint = plain): string[] =>
  markdownWith(paint).rows(text, columns);

/** Adds a text in pieces of these lengths, as a reply streams. */
function streamed(text: string, cuts: readonly number[], columns: number): string[] {
  const reply = colours.reply();
  const rows: string[] = [];
  let at = 0;
  for (const cut of [...cuts, text.length]) {
    rows.push(...reply.add(text.slice(at, at + cut), columns));
    expect(reply.tail.length).toBeLessThanOrEqual(6);
    for (const row of reply.tail) expect(displayWidth(bare(row))).toBeLessThanOrEqual(columns);
    at += cut;
  }
  return [...rows, ...reply.end()];
}

const TABLE = "| Name | Count |\n|:--|--:|\n| alpha | 1 |\n| a long cell of words that wrap | 22 |\n";

describe("a block of Markdown", () => {
  test.each<[what: string, text: string, columns: number, rows: readonly string[]]>([
    ["a heading", "# Title\n\ntext\n## Sub", 80, ["# Title", "", "text", "## Sub"]],
    ["a heading that is underlined", "Title\n=====\ntext", 80, ["# Title", "text"]],
    ["a paragraph", "one two three four five six", 20, ["one two three four", "five six"]],
    ["lines of a paragraph, which stay", "one\ntwo  \nthree\\\nfour", 80, ["one", "two", "three", "four"]],
    ["Chinese, broken between characters", "中文字符中文字符中文。", 20, ["中文字符中文字符中", "文。"]],
    ["a list", "- one\n- two\n  - three\n\n- four", 80, ["• one", "• two", "  • three", "", "• four"]],
    ["a wrapped item", "- one two three four five six", 20, ["• one two three four", "  five six"]],
    ["numbers", "3. c\n4. d\n1. e", 80, ["3. c", "4. d", "5. e"]],
    ["a list after another", "- a\n1. b\n", 80, ["• a", "1. b"]],
    ["tasks", "- [ ] open\n- [x] done\n\n  more", 80, ["• [ ] open", "• [x] done", "", "      more"]],
    ["a quote", "> one **two**\n> > three\n\nfour", 80, ["│ one two", "│ │ three", "", "four"]],
    ["a wrapped quote", "> one two three four five", 20, ["│ one two three four", "│ five"]],
    ["a rule", "a\n\n---\n\nb", 20, ["a", "", "─".repeat(20), "", "b"]],
    ["code", "```\nif (a) {\n\tb();\n\n}\n```\ntext", 80, ["  if (a) {", "      b();", "", "  }", "text"]],
    ["code without an end", "```ts\nconst a = 1;\n", 80, ["  const a = 1;"]],
    [
      "a long line of code",
      `~~~\n${"x".repeat(40)}`,
      20,
      ["x".repeat(18), "x".repeat(18), "xxxx"].map((row) => `  ${row}`),
    ],
    ["indented code", "    a\n     b\n", 80, ["  a", "   b"]],
    ["code in an item", "1. a\n\n   ```sh\n   ls\n   ```\n2. b", 80, ["1. a", "", "     ls", "2. b"]],
    ["HTML, as it is", "<b>x</b>\n\n<!-- y -->", 80, ["<b>x</b>", "", "<!-- y -->"]],
    [
      "a table",
      TABLE,
      80,
      [
        "Name                           │ Count",
        "───────────────────────────────┼──────",
        "alpha                          │     1",
        "a long cell of words that wrap │    22",
      ],
    ],
    [
      "a table of 40 columns",
      TABLE,
      40,
      [
        "Name                           │ Count",
        "───────────────────────────────┼──────",
        "alpha                          │     1",
        "a long cell of words that wrap │    22",
      ],
    ],
    [
      "a table, narrow",
      TABLE,
      20,
      ["Name: alpha", "Count: 1", "", "Name: a long cell of", "words that wrap", "Count: 22"],
    ],
    [
      "a table with wide characters",
      "|a|b|\n|:-:|---|\n|日本語|x|\n|z|`y`|",
      80,
      ["  a    │ b", "───────┼────", "日本語 │ x", "  z    │ `y`"],
    ],
    [
      "a table that is too wide for its columns",
      `|${"a|".repeat(12)}\n|${"-|".repeat(12)}\n|${"12345678|".repeat(12)}`,
      80,
      Array.from({ length: 12 }, () => "a: 12345678"),
    ],
    [
      "names between underscores, which are no bold text",
      "see pkg/__main__.py, __init__ and __bold words__",
      80,
      ["see pkg/__main__.py, __init__ and bold words"],
    ],
    [
      "a definition of a link, which is hidden elsewhere",
      "[x]: https://a.example 'y'\n",
      80,
      ["[x]: https://a.example 'y'"],
    ],
    ["an empty text", "\n\n", 80, []],
  ])("shows %s", (_, text, columns, rows) => {
    expect(rowsOf(text, columns)).toEqual(rows);
    expect(colours.rows(text, columns).length).toBe(rows.length);
  });

  test("shrinks the widest column of a table first, and separates rows that wrap", () => {
    const words = "word ".repeat(30).trim();
    const rows = rowsOf(`|a|b|\n|-|-|\n|${words}|short text|\n|x|y|`, 60);
    expect(rows.every((row) => displayWidth(row) <= 60)).toBe(true);
    expect(rows.filter((row) => row.startsWith("─"))).toHaveLength(2);
    expect(rows[2]).toMatch(/│ short text$/);
  });

  test("uses what there is of 300 columns", () => {
    const words = "word ".repeat(100).trim();
    expect(rowsOf(words, 300)).toHaveLength(2);
    expect(rowsOf(`- ${words}`, 300)).toHaveLength(2);
    expect(rowsOf(`|a|b|\n|-|-|\n|${"x".repeat(250)}|y|`, 300)).toHaveLength(3);
    expect(rowsOf(TABLE, 300)).toEqual(rowsOf(TABLE, 80));
  });
});

describe("inline Markdown", () => {
  test.each<[what: string, text: string, row: string]>([
    ["emphasis", "a **b** *c* ~~d~~", `a ${ESC}[1mb${ESC}[22m ${ESC}[3mc${ESC}[23m ${ESC}[9md${ESC}[29m`],
    ["one tilde, which is no sign", "(~/a,~/b)", "(~/a,~/b)"],
    ["characters with a backslash", "\\*a\\*", "*a*"],
    ["characters with names and numbers", "&lt;a&gt; &amp; &#65;&#x1b;[2J &nope;", "<a> & A &nope;"],
    ["code", "`a*b*`", `${ESC}[36ma*b*${ESC}[39m`],
    [
      "a URL",
      "https://a.b/c",
      `${ESC}]8;;https://a.b/c\u0007${ESC}[4mhttps://a.b/c${ESC}[24m${ESC}]8;;\u0007`,
    ],
    [
      "a link, with its address",
      "[b](https://a.b/?q=(c)+d)",
      `${ESC}]8;;https://a.b/?q=%28c%29%20d\u0007${ESC}[4mb${ESC}[24m${ESC}]8;;\u0007${ESC}[2m (https://a.b/?q=(c)+d)${ESC}[22m`,
    ],
    [
      "a path of a link",
      "[src/a.ts:12](src/a.ts#L12)",
      `${ESC}]8;;file:///w/src/a.ts#12\u0007${ESC}[4msrc/a.ts:12${ESC}[24m${ESC}]8;;\u0007`,
    ],
    [
      "a path in code",
      "`src/a.ts:3`",
      `${ESC}]8;;file:///w/src/a.ts#3\u0007${ESC}[36msrc/a.ts:3${ESC}[39m${ESC}]8;;\u0007`,
    ],
    ["code that is no path", "`and/or` `a.b`", `${ESC}[36mand/or${ESC}[39m ${ESC}[36ma.b${ESC}[39m`],
    ["a link to a program", "[a](javascript:b)", `a${ESC}[2m (javascript:b)${ESC}[22m`],
    [
      "an image",
      "![a](b.png)",
      `${ESC}]8;;file:///w/b.png\u0007${ESC}[4mimage: a${ESC}[24m${ESC}]8;;\u0007${ESC}[2m (b.png)${ESC}[22m`,
    ],
  ])("shows %s", (_, text, row) => {
    expect(colours.rows(text, 200)).toEqual([row]);
  });

  test("has no links, colours or looks without colours", () => {
    const text = "**a** `b` [c](https://d.e) <https://f.g>\n```ts\nconst a = 1;\n```";
    expect(rowsOf(text)).toEqual(["a `b` c (https://d.e) https://f.g", "  const a = 1;"]);
  });
});

describe("highlighted code", () => {
  test("carries comments and strings over lines", () => {
    const rows = colours.rows("```ts\n/* a\nb */ const c = `d\ne`;\n```", 80);
    expect(rows).toEqual([
      `  ${ESC}[2m/* a${ESC}[22m`,
      `  ${ESC}[2mb */${ESC}[22m ${ESC}[35mconst${ESC}[39m ${ESC}[34mc${ESC}[39m = ${ESC}[32m\`d${ESC}[39m`,
      `  ${ESC}[32me\`${ESC}[39m;`,
    ]);
  });

  test("waits for its language, and shows the lines while it waits", async () => {
    const markdown = markdownWith(inColour);
    const reply = markdown.reply();
    expect(reply.add("text\n\n```rust\nlet a = 1;\nlet b", 80)).toEqual(["text"]);
    expect(reply.tail).toEqual(["", "  let a = 1;", "  let b"]);
    await markdown.ready("```rust\n```");
    expect(reply.add(";\n", 80).map(bare)).toEqual(["", "  let a = 1;", "  let b;"]);
    expect(reply.end()).toEqual([]);
  });

  test("has no colours if its language is not known, or a line is too long", () => {
    expect(colours.rows("```nothing\nconst a\n```", 80)).toEqual(["  const a"]);
    const long = `const ${"a".repeat(1100)}`;
    expect(colours.rows(`\`\`\`ts\n${long}\n\`\`\``, 2000)).toEqual([`  ${long}`]);
  });
});

describe("a reply that streams", () => {
  test("gives out what is final, and keeps what is open", () => {
    const reply = colours.reply();
    const add = (piece: string) => reply.add(piece, 80).map(bare);
    expect(add("# Ti")).toEqual([]);
    expect(reply.tail.map(bare)).toEqual(["Ti"]);
    expect(add("tle\n\nSome te")).toEqual(["Title"]);
    expect(add("xt\n\n")).toEqual(["", "Some text"]);
    expect(reply.tail).toEqual([]);
    expect(add("- one\n- tw")).toEqual([]);
    expect(reply.tail.map(bare)).toEqual(["", "• one", "• tw"]);
    expect(add("o\n")).toEqual(["", "• one"]);
    expect(add("\n```py\nx = 1\ny")).toEqual(["• two", "", "  x = 1"]);
    expect(reply.tail.map(bare)).toEqual(["  y"]);
    expect(add(" = 2\n```\n|a|b|\n|-|-|\n|c|d|\n")).toEqual(["  y = 2"]);
    expect(reply.tail).toHaveLength(3);
    expect(add("\n").map((row) => row.slice(0, 1))).toEqual(["a", "─", "c"]);
    expect(reply.end()).toEqual([]);
  });

  test("gives out a long table in parts with the same columns", () => {
    const row = (index: number) => `| ${index} | ${"x".repeat(index % 7)} |\n`;
    const text = `|a|b|\n|-|-|\n${Array.from({ length: 100 }, (_, index) => row(index)).join("")}\nend`;
    const reply = colours.reply();
    const rows = reply.add(text.slice(0, 900), 80);
    expect(rows.length).toBeGreaterThan(40);
    rows.push(...reply.add(text.slice(900), 80), ...reply.end());
    expect(rows).toHaveLength(104);
    expect(new Set(rows.slice(2, 102).map((each) => bare(each).indexOf("│"))).size).toBe(1);
    expect(rows.at(-1)).toBe("end");
  });

  test("breaks a paragraph over 4,000 characters", () => {
    const reply = colours.reply();
    expect(reply.add("word ".repeat(790), 80)).toEqual([]);
    expect(reply.add("word ".repeat(20), 80).length).toBeGreaterThan(40);
    expect(reply.tail.length).toBeLessThan(3);
  });

  const pieces = fc.constantFrom(
    ...[
      "word",
      " ",
      " ",
      "\n",
      "\n",
      "\n\n",
      "- item ",
      "1. ",
      "10) ",
      "> ",
      "# ",
      "```",
      "```ts\n",
      "\n```\n",
      "~~~",
    ],
    ...[
      "|",
      "|a|b|\n|-|:-:|\n",
      "| c | d |\n",
      "**",
      "*",
      "_",
      "`",
      "[a](b.c)",
      "https://a.b/c",
      "    ",
      "  ",
      "---\n",
    ],
    ..."日本。,👍,\r\n,\t,<div>,</div>\n,<!--,&amp;,\\,- [ ] ,- [x] ,const a = 'b'; /* c,===\n".split(","),
    ...[
      `${ESC}[31m`,
      `${ESC}]8;;x\u0007`,
      `${ESC}]52;c;aGk=\u0007`,
      "\u202e",
      "\u2066",
      "\u0007",
      "\u009b2J",
      "\ud83d",
      "averyverylongwordthatfitsnowhere",
    ],
  );

  test("comes to the same safe rows in whatever pieces it is written, none wider than the terminal", () => {
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 60 }),
        fc.array(fc.nat(9), { maxLength: 100 }),
        fc.constantFrom(8, 12, 20, 41, 80, 300),
        (parts, cuts, columns) => {
          const text = parts.join("");
          const rows = colours.rows(text, columns);
          expect(streamed(text, cuts, columns)).toEqual(rows);
          for (const row of rows) {
            expect(displayWidth(bare(row))).toBeLessThanOrEqual(columns);
            // Only our own links and looks are escape sequences.
            expect(bare(row)).not.toMatch(/(?!\t)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
          }
        },
      ),
      { seed: 4, numRuns: 600 },
    );
  });

  const nested = (mark: string, indent: number) =>
    Array.from({ length: 300 }, (_, index) => `${" ".repeat(indent * index)}${mark} a`).join("\n");
  test.each<[what: string, text: string]>([
    ["100,000 backticks", "`".repeat(100_000)],
    ["100,000 stars", "*".repeat(100_000)],
    ["open emphasis", "*a _b **c ".repeat(5000)],
    ["open emphasis in lines", "*a _b **c\n".repeat(3000)],
    ["brackets", "[".repeat(50_000)],
    ["open links", "[a](<b ![".repeat(5000)],
    ["open tags", "<a <!-- ".repeat(5000)],
    ["open comments in lines", "<!--\n".repeat(5000)],
    ["open fences", "```\n~~~\n".repeat(5000)],
    ["fences of growing length", Array.from({ length: 200 }, (_, index) => "`".repeat(index)).join("\n")],
    ["quotes in quotes", `${">".repeat(50_000)} a`],
    ["quotes that grow", Array.from({ length: 400 }, (_, index) => `${">".repeat(index)} a`).join("\n")],
    ["quotes that are not closed", "> a\nb\n".repeat(1000)],
    ["lists in lists on a line", "- ".repeat(20_000)],
    ["lists in lists", nested("-", 2)],
    ["loose numbered lists in lists", nested("1.\n", 3)],
    ["an item that does not end", `- a\n${"  b\n\n".repeat(5000)}`],
    ["quotes in lists", "- > ".repeat(5000)],
    ["items", "- a\nb\n".repeat(4000)],
    ["many columns", `${"|a".repeat(5000)}|\n${"|-".repeat(5000)}|\n${"|b".repeat(5000)}|\n`],
    ["many rows", `|a|b|\n|-|-|\n${"|c|d|\n".repeat(5000)}`],
    ["tables without an end", "a|b\n-|-\n".repeat(4000)],
    ["underlines of headings", "a\n=\n".repeat(4000)],
    ["definitions", "[a]: (".repeat(5000)],
    ["spaces", `a${" ".repeat(100_000)}b`],
    ["empty lines", "\n".repeat(100_000)],
    ["control characters", `${ESC}]8;;a${ESC}[`.repeat(3000)],
    ["a language with a long line", `\`\`\`ts\n${"(".repeat(3000)}\n${"/* ' ` ".repeat(140)}\n`.repeat(20)],
    ["a right-to-left override", "\u202e**a** ".repeat(4000)],
  ])("ends with %s", (_, text) => {
    const rows = colours.rows(text, 60);
    expect(rows.every((row) => displayWidth(bare(row)) <= 60)).toBe(true);
    const cuts = Array.from({ length: 30 }, () => Math.ceil(text.length / 30));
    expect(streamed(text, cuts, 60)).toEqual(rows);
  });
});
