import { expect, test } from "vitest";
import { phrases } from "../scripts/words/phrases.ts";
import { readCode, readProse, readTitles } from "../scripts/words/texts.ts";

test("reads the comments and strings of code, the titles of tests and the prose of documents, with their lines", () => {
  expect(readCode("a.ts", "// one\nconst a = 'two';\nconst b = `three`;\n")).toEqual([
    { text: " one", line: 1 },
    { text: "two", line: 2 },
    { text: "three", line: 3 },
  ]);
  expect(readTitles("a.test.ts", "\ntest.each([1])('five', () => f('six'));\n")).toEqual([
    { text: "'five'", line: 2 },
  ]);
  expect(readProse("one `two`\n```\nthree\n```\nfour")).toEqual([
    { text: "one `code`", line: 1 },
    { text: "four", line: 5 },
  ]);
});

test("finds a phrase in any case, and leaves plain English alone", () => {
  const found = (text: string) => phrases.filter(([pattern]) => text.search(pattern) >= 0).length;
  expect(found("Once more it GOES ON WITH the next.")).toBe(2);
  expect(found("The agent resumes with the next message.")).toBe(0);
});
