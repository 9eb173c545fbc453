import { expect, test } from "vitest";
import { renderHtml } from "../../src/terminal/markdown/html.ts";

test.each([
  ["a heading, a list and code", "# A\n\n- one\n\n```js\na < b\n```", "<h1>A</h1>"],
  ["a table", "| a | b |\n|---|---|\n| 1 | 2 |", "<td>1</td>"],
  ["code as it is", "```js\na < b && c\n```", "a &lt; b &amp;&amp; c"],
  [
    "a link to the web",
    "[x](https://example.org/?a=1&b=2)",
    '<a href="https://example.org/?a=1&amp;b=2">x</a>',
  ],
  ["a picture as a link", "![p](https://example.org/p.png)", '<a href="https://example.org/p.png">p</a>'],
])("writes %s", (_, text, expected) => {
  expect(renderHtml(text)).toContain(expected);
});

test.each([
  "<script>alert(1)</script>",
  "a <img src=x onerror=alert(1)> b",
  "[x](javascript:alert(1))",
  "[x](java&#115;cript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  '[x](https://a "\\"><script>alert(1)</script>")',
  '[x](https://a/"onclick="alert(1))',
  '![x" onerror="alert(1)](javascript:alert(1))',
  "<https://a/'onclick='alert(1)>",
  '```js" onclick="alert(1)\na\n```',
  "| <script> |\n|---|\n| <svg onload=alert(1)> |",
  "[x]: javascript:alert(1)\n\n[x]",
  "<!-- a --><style>*{display:none}</style>",
])("uses no tag, handler or script of the text: %s", (text) => {
  const tags = renderHtml(text).match(/<[^>]*>/g) ?? [];
  for (const tag of tags)
    expect(tag).toMatch(
      /^<\/?(?:p|strong|em|del|h\d|ul|ol|li|pre|code|table|thead|tbody|tr|td|th|blockquote|br|hr|a)(?: (?:href="https:\/\/[^"]*"|class="language-[^"]*"|align="\w+"))*>$/,
    );
});

test("text that would take quadratic time is shown as it is", () => {
  expect(renderHtml("*_[".repeat(20_000))).toMatch(/^<pre>/);
  expect(renderHtml(`${"> ".repeat(20_000)}x`)).toContain("x");
});
