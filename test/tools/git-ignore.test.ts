import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { parseIgnoreFile } from "../../src/tools/git-ignore.ts";
import { long } from "../support/long.ts";

const repository = mkdtempSync(join(tmpdir(), "troupe-ignore-"));
execFileSync("git", ["init", "-q", repository]);
afterAll(() => rmSync(repository, { recursive: true, force: true }));

const TREE = [
  ...["a", "b", "ab", "a.log", "b.log", "#a", "!a", "a b", "[a]", "a*", "été-long-name.md", ".env", "A.LOG"],
  ...["a/b.log", "a/b/c", "b/a/c/a.log", "x/a", "x/y/a", "x/y/z/b", "build/a", "x/build/a", "ab/c/b"],
];
for (const name of TREE.filter((one) => one.includes("/") || !isFolder(one))) {
  mkdirSync(dirname(join(repository, name)), { recursive: true });
  if (!isFolder(name)) writeFileSync(join(repository, name), "");
}

function isFolder(name: string): boolean {
  return TREE.some((other) => other.startsWith(`${name}/`));
}

/** Every file and folder, folders before what is in them. */
const everything = [
  ...new Set(
    TREE.flatMap((name) => {
      const parts = name.split("/");
      return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
    }),
  ),
];

function ignoredByGit(text: string): string[] {
  writeFileSync(join(repository, ".gitignore"), text);
  try {
    const said = execFileSync("git", ["check-ignore", "--no-index", "-z", "--stdin"], {
      cwd: repository,
      input: everything.join("\0"),
      env: { PATH: process.env["PATH"], HOME: repository, GIT_CONFIG_NOSYSTEM: "1" },
    });
    return said.toString().split("\0").filter(Boolean).sort();
  } catch {
    return []; // Exit code 1: none is ignored.
  }
}

/** As a walk asks: nothing in an ignored folder is looked at, so all of it is ignored. */
function ignoredByUs(text: string): string[] {
  const verdict = parseIgnoreFile(text);
  const ignored = new Set<string>();
  for (const path of everything) {
    const isGone = ignored.has(dirname(path));
    if (isGone || verdict(path, isFolder(path)) === "ignored") ignored.add(path);
  }
  return [...ignored].sort();
}

// But for letters beyond ASCII: to git `?` is a byte of them, to us, as to ripgrep, it is the whole letter.
describe("an ignore file is read as git reads it", () => {
  test.each([
    "a",
    "/a",
    "a/",
    "*.log\n!a.log",
    "!a.log\n*.log",
    "build/\n",
    "/build",
    "x/**",
    "**/b",
    "x/**/a",
    "x/*/a",
    "a/**/",
    "**",
    "*",
    "*/",
    "/*\n!/x",
    "# a\n\\#a",
    "\\!a",
    "a b",
    "a b  ",
    "a\\ ",
    "a\\",
    "\\[a]",
    "[[]a]",
    "[a-b].log",
    "[!a].log",
    "[^a].log",
    "[[:alpha:]]",
    "[a",
    "a\\*",
    "?.log",
    "??",
    "/",
    "//",
    "x//a",
    "\ufeffa",
    "a\r\nb\r\n",
    "***",
    "x/***/a",
    "a**",
    "**b",
    "x/a**/z",
    ".*",
    "A.LOG",
    "  ",
    "!",
    "é*",
  ])("%j", { tags: ["long"] }, (text) => {
    expect(ignoredByUs(text)).toEqual(ignoredByGit(text));
  });

  test("whatever its lines", { tags: ["long"] }, () => {
    const piece = fc.constantFrom(
      "a",
      "b",
      "x",
      "y",
      "*",
      "**",
      "?",
      ".log",
      "[ab]",
      "[!b]",
      "\\*",
      "/",
      "/",
      " ",
    );
    const line = fc
      .tuple(fc.constantFrom("", "", "!"), fc.array(piece, { minLength: 1, maxLength: 5 }))
      .map(([sign, pieces]) => sign + pieces.join(""));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
        const text = lines.join("\n");
        expect(ignoredByUs(text)).toEqual(ignoredByGit(text));
      }),
      { seed: 3, numRuns: long(150, 40) },
    );
  });
});
