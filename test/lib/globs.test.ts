import fc from "fast-check";
import { expect, test } from "vitest";
import { compileGlob, type Glob } from "../../src/lib/globs.ts";

function compiled(text: string): Glob {
  const found = compileGlob(text);
  if (found.type === "refused") throw new Error(found.reason);
  return found.glob;
}

const fits = (text: string, path: string) => compiled(text).fits(path.split("/"));

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
  ["?.ts", ["é.ts", "😀.ts"], [".ts", "ab.ts"]],
  ["{src/a,test}/*.ts", ["src/a/x.ts", "test/x.ts"], ["src/x.ts"]],
  ["{a,{b,c}d}", ["a", "bd", "cd"], ["b", "ad"]],
  ["a{,b}", ["a", "ab"], ["b"]],
  ["{a}{b", ["{a}{b"], ["ab"]],
  ["(group)/page.tsx", ["(group)/page.tsx"], ["group/page.tsx"]],
  ["\\*\\{a,b\\}", ["*{a,b}"], ["xa"]],
])("%s fits these paths and no others", (pattern, yes, no) => {
  expect(yes.filter((path) => !fits(pattern, path))).toEqual([]);
  expect(no.filter((path) => fits(pattern, path))).toEqual([]);
});

test.each([
  ["*.ts", [], ["src"]],
  ["src/*.ts", ["src"], ["test", "src/deep"]],
  ["src/**/x.ts", ["src", "src/deep", "src/deep/er"], ["test"]],
  ["**/x.ts", ["src", "src/deep"], []],
  ["{src/a,test}/*.ts", ["src", "src/a", "test"], ["docs", "src/b"]],
])("%s says which directories need not be searched", (pattern, into, past) => {
  const mayFit = (path: string) => compiled(pattern).mayFitBelow(path.split("/"));
  expect(into.filter((path) => !mayFit(path))).toEqual([]);
  expect(past.filter(mayFit)).toEqual([]);
});

// Backtracking over the whole name would not end here.
test.each([
  `${"*a".repeat(40)}*b`,
  `*a${"?".repeat(60)}`,
  `${"**/".repeat(40)}x`,
  "{".repeat(2_000),
  `${"*[a]".repeat(40)}b`,
])("%s takes no more time than its length and the name ask for", (pattern) => {
  const glob = compiled(pattern);
  for (const length of [1, 20, 2_000])
    expect(glob.fits([`${"a".repeat(length)}c`])).toBe(pattern.includes("?") && length > 59);
});

test.each([
  ["!src/*.ts", "Write what to find"],
  ["@(a|b)c", "{a,b} for either"],
  ["!(a)", "{a,b} for either"],
  ["x".repeat(2_001), "2000"],
  ["{a,b}".repeat(40), "more than 1000 patterns"],
])("%s is refused with a reason", (pattern, reason) => {
  expect(compileGlob(pattern)).toMatchObject({ type: "refused", reason: expect.stringContaining(reason) });
});

test("a path that is made from a pattern fits it", () => {
  const name = fc.stringMatching(/^[a-c]{1,3}$/);
  const piece = fc.oneof(
    name.map((text) => ({ pattern: text, path: text })),
    name.map((text) => ({ pattern: "*", path: text })),
    name.map((text) => ({ pattern: `{x,${text}}`, path: text })),
    name.map((text) => ({ pattern: "[abc]", path: text.slice(0, 1) })),
    name.map(() => ({ pattern: "?", path: "z" })),
  );
  const names = fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => ({
    pattern: parts.map(({ pattern }) => pattern).join(""),
    path: parts.map(({ path }) => path).join(""),
  }));
  const dirs = fc
    .array(name, { maxLength: 2 })
    .map((some) => ({ pattern: "**", path: some.length === 0 ? null : some.join("/") }));
  fc.assert(
    fc.property(fc.array(fc.oneof(names, dirs), { maxLength: 4 }), names, (parts, last) => {
      const all = [...parts, last];
      const pattern = all.map((part) => part.pattern).join("/");
      const path = all.flatMap((part) => part.path ?? []).join("/");
      expect(fits(pattern, path)).toBe(true);
      expect(fits(pattern, `${path}/more-of-it`) && !pattern.includes("**")).toBe(false);
    }),
    { seed: 7, numRuns: 300 },
  );
});
