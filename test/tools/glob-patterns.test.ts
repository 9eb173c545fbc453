import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { globBases } from "../../src/tools/glob-base.ts";
import { type GlobPattern, globPattern } from "../../src/tools/globs/pattern.ts";

function understood(text: string): GlobPattern {
  const found = globPattern(text);
  if (found.type === "refused") throw new Error(found.reason);
  return found.pattern;
}

/** Null: nothing in this folder can match. */
function entered({ start, enter }: GlobPattern, folders: readonly string[]) {
  return folders.reduce<ReturnType<GlobPattern["enter"]>>(
    (state, name) => (state === null ? null : enter(state, name)),
    start,
  );
}

function fits(text: string, path: string): boolean {
  const pattern = understood(text);
  const names = path.split("/");
  const folder = entered(pattern, names.slice(0, -1));
  return folder !== null && pattern.matches(folder, names.at(-1) ?? "");
}

describe("a pattern fits", () => {
  test.each([
    ["*.ts", ["a.ts", ".ts", ".a.ts"], ["a/b.ts", "a.tsx"]],
    ["**/*.ts", ["a/b.ts", "b.ts", ".hidden/.b.ts"], ["b.js"]],
    ["**/{a,b}.ts", ["x/b.ts", "a.ts"], ["x/c.ts", "{a,b}.ts"]],
    ["**/a", ["a", "x/y/a"], ["x/ab", "a/x"]],
    ["a/**/b", ["a/b", "a/x/y/b"], ["ab", "a/xb"]],
    ["src/**", ["src/a/b", "src/a"], ["src", "a/src"]],
    ["**", ["a/b", "a"], []],
    ["**.ts", ["a.ts", "a/b.ts"], ["a.js"]],
    ["a**b", ["axb", "ab"], ["a/b"]],
    ["[ab].ts", ["b.ts"], ["c.ts", "ab.ts"]],
    ["[!ab]x", ["cx"], ["ax", "x"]],
    ["[a", ["[a"], ["a"]],
    ["?.ts", ["é.ts", "😀.ts"], [".ts", "ab.ts"]],
    ["{src/a,test}/*.ts", ["src/a/x.ts", "test/x.ts"], ["src/x.ts"]],
    ["{a,{b,c}d}", ["a", "bd", "cd"], ["b", "ad"]],
    ["a{,b}", ["a", "ab"], ["b"]],
    ["{a}{b", ["{a}{b"], ["ab"]],
    ["x{1..12}", ["x1", "x12"], ["x13", "x0"]],
    ["x{c..a}", ["xb"], ["xd"]],
    ["@(a|b)c", ["ac", "bc"], ["c", "abc"]],
    ["?(a)c", ["ac", "c"], ["aac"]],
    ["*(a|b)c", ["c", "abac"], ["abxc"]],
    ["+(a|b)c", ["ac", "abac"], ["c"]],
    ["(group)/page.tsx", ["(group)/page.tsx"], ["group/page.tsx"]],
    ["\\*\\{a,b\\}", ["*{a,b}"], ["xa"]],
    ["!src/*.ts", ["test/a.ts", "src/a.js"], ["src/a.ts"]],
  ])("%s", (pattern, yes, no) => {
    expect(yes.filter((path) => !fits(pattern, path))).toEqual([]);
    expect(no.filter((path) => fits(pattern, path))).toEqual([]);
  });
});

describe("a pattern says which folders need not be looked into", () => {
  test.each([
    ["*.ts", [], ["src"]],
    ["src/*.ts", ["src"], ["test", "src/deep"]],
    ["src/**/x.ts", ["src", "src/deep", "src/deep/er"], ["test"]],
    ["**/x.ts", ["src", "src/deep"], []],
    ["{src,test}/*.ts", ["src", "test"], ["docs"]],
    ["{src/a,test}/*.ts", ["src", "src/a", "test"], ["docs", "src/b"]],
    ["!src/*.ts", ["src", "test"], []],
  ])("%s", (pattern, into, past) => {
    const goesInto = (path: string) => entered(understood(pattern), path.split("/")) !== null;
    expect(into.filter((path) => !goesInto(path))).toEqual([]);
    expect(past.filter(goesInto)).toEqual([]);
  });
});

describe("no pattern takes more time or memory than its length and the names ask for", () => {
  test.each<[name: string, pattern: string, fitsFrom?: number]>([
    ["40-fold braces", "{a,b}".repeat(40)],
    ["40-fold braces with stars", "{a*,*b}".repeat(40), 40],
    ["braces in braces", `${"{".repeat(490)}a${",b}".repeat(490)}`],
    ["40 stars", `${"*a".repeat(40)}*b`],
    ["a star and many places", `*a${"?".repeat(60)}`, 60],
    ["40 repeated groups", "*(a|*b)".repeat(40)],
    ["groups in groups", `${"?(".repeat(600)}a${")".repeat(600)}`],
    ["40 times any folder", `${"**/".repeat(40)}x`],
    ["40 ranges", "{1..25}".repeat(40)],
    ["braces without an end", "{".repeat(2_000)],
  ])("%s", (_, text, fitsFrom = Number.POSITIVE_INFINITY) => {
    expect(globBases("/w", text).type).toBe("bases");
    const pattern = understood(text);
    // What goes back over a name would not come to its end here.
    for (let length = 1; length < 200; length++)
      expect(pattern.matches(pattern.start, `${"a".repeat(length)}c`)).toBe(length >= fitsFrom);
  });

  test("what is longer than a person writes is refused with a sentence", () => {
    const long = "{".repeat(2_001);
    expect(globPattern(long)).toMatchObject({ type: "refused", reason: expect.stringContaining("2000") });
    expect(globBases("/w", long).type).toBe("refused");
    expect(globPattern("{1..900}{1..900}")).toMatchObject({
      type: "refused",
      reason: "{1..900} stands for too many numbers: 1000 are the most. Use * instead.",
    });
  });
});

test("whatever a pattern is made of, a path made from it fits", () => {
  const name = fc.stringMatching(/^[a-c]{1,3}$/);
  const piece = fc.oneof(
    name.map((text) => ({ pattern: text, path: text })),
    name.map((text) => ({ pattern: "*", path: text })),
    name.map((text) => ({ pattern: `{x,${text}}`, path: text })),
    name.map((text) => ({ pattern: `+(x|${text})`, path: text.repeat(2) })),
    name.map((text) => ({ pattern: "[abc]", path: text.slice(0, 1) })),
    name.map(() => ({ pattern: "?", path: "z" })),
  );
  const joined = (parts: { pattern: string; path: string }[], between: string) => ({
    pattern: parts.map(({ pattern }) => pattern).join(between),
    path: parts.map(({ path }) => path).join(between),
  });
  const names = fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => joined(parts, ""));
  const folders = fc
    .array(name, { maxLength: 2 })
    .map((some) => ({ pattern: "**", path: some.length === 0 ? null : some.join("/") }));
  fc.assert(
    fc.property(fc.array(fc.oneof(names, folders), { maxLength: 4 }), names, (parts, last) => {
      const all = [...parts, last];
      const pattern = all.map((part) => part.pattern).join("/");
      const path = all.flatMap((part) => part.path ?? []).join("/");
      expect(fits(pattern, path)).toBe(true);
      expect(fits(pattern, `${path}/more-of-it`) && !pattern.includes("**")).toBe(false);
    }),
    { seed: 7, numRuns: 300 },
  );
});

describe("the places a pattern starts from", () => {
  test.each([
    ["*.ts", [["/w/p", "*.ts"]]],
    ["src/a/*.ts", [["/w/p/src/a", "*.ts"]]],
    ["./src//./*.ts", [["/w/p/src", "*.ts"]]],
    ["../x/**", [["/w/x", "**"]]],
    ["/abs/*", [["/abs", "*"]]],
    ["{src,test}/*", [["/w/p", "{src,test}/*"]]],
    [
      "a{/b,/c}/*",
      [
        ["/w/p/a/b", "*"],
        ["/w/p/a/c", "*"],
      ],
    ],
    [
      "{../x,src}/*",
      [
        ["/w/x", "*"],
        ["/w/p/src", "*"],
      ],
    ],
    [
      "{/etc,src/{a,b}}/*",
      [
        ["/etc", "*"],
        ["/w/p/src/a", "*"],
        ["/w/p/src/b", "*"],
      ],
    ],
    [
      "{..,.}/*.md",
      [
        ["/w", "*.md"],
        ["/w/p", "*.md"],
      ],
    ],
  ])("%s", (pattern, expected) => {
    const found = globBases("/w/p", pattern);
    expect(found.type === "bases" && found.bases.map((base) => [base.folder, base.pattern])).toEqual(
      expected,
    );
  });

  test.each(["*/../x", "@(../x|src)/*", "src*/{../a,b}", "[ab]/..", "*(/etc|x)"])(
    "%s leads away where only a walk could go, and is refused",
    (pattern) => {
      expect(globBases("/w/p", pattern)).toMatchObject({
        type: "refused",
        reason: expect.stringContaining("Give that place as path"),
      });
    },
  );

  test.each(["{../a,../b}/".repeat(40), "{..,b}".repeat(40), `{${"../a,".repeat(100)}b}`])(
    "more places than a call may start from are refused: %s",
    (pattern) => {
      expect(globBases("/w/p", pattern)).toMatchObject({
        type: "refused",
        reason: expect.stringContaining("one after the other"),
      });
    },
  );
});
