import { expect, test } from "vitest";
import { parseMemoryRule } from "../../../src/context/memory/memory-paths.ts";

test.each([
  ["paths: src/**/*.ts", ["src/**/*.ts"]],
  ['paths: "src/**/*.{ts,tsx}", lib/*', ["src/**/*.{ts,tsx}", "lib/*"]],
  ["paths: [a/**, 'b c/*']", ["a/**", "b c/*"]],
  [
    "name: x\npaths:\n  - '{src,lib}/**'\n  - \"docs/*.md\" # of docs\nother:\n  - no",
    ["{src,lib}/**", "docs/*.md"],
  ],
  ["paths:\n- a\n- b", ["a", "b"]],
  ["paths: [\n  'a',\n  b/*,\n]", ["a", "b/*"]],
  ["paths:\n  # of the tests\n  test/**", ["test/**"]],
  ["paths:", null],
  ["description: for all", null],
])("the files a rule is about are read from %j", (header, paths) => {
  expect(parseMemoryRule(`---\n${header}\n---\nDo it.\n`)).toEqual({ text: "Do it.\n", paths });
});

test("without front matter, or where it does not end, all of it is the rule", () => {
  for (const text of ["Do it.", "---\npaths: a\nDo it.", ""])
    expect(parseMemoryRule(text)).toEqual({ text, paths: null });
});

test.each(["paths: {a: b}", "paths: { src/**: true }", "paths:\n  a: b"])(
  "a rule whose %j has no patterns says so and is about all files",
  (header) => {
    expect(parseMemoryRule(`---\n${header}\n---\nDo it.\n`)).toEqual({
      ...{ text: "Do it.\n", paths: null },
      problem: expect.stringContaining("paths"),
    });
  },
);
