import { expect, test } from "vitest";
import { pathProblem, resolvePath, shownPath } from "../../src/tools/paths.ts";

test("a path is resolved against the agent's own folder, and ~ is a name like any other", () => {
  expect(resolvePath("/work", undefined)).toBe("/work");
  expect(resolvePath("/work", "a/../b")).toBe("/work/b");
  expect(resolvePath("/work", "/etc")).toBe("/etc");
  expect(resolvePath("/work", "~/a")).toBe("/work/~/a");
});

test("only what lies inside the directory is shown relative to it", () => {
  expect(shownPath("/work", "/work/src/a.ts")).toBe("src/a.ts");
  expect(shownPath("/work", "/work/..odd/a.ts")).toBe("..odd/a.ts");
  for (const outside of ["/work", "/worker/a.ts", "/", "/other/a.ts"])
    expect(shownPath("/work", outside)).toBe(outside);
});

test.each([
  ["EACCES", "permission denied"],
  ["EPERM", "permission denied"],
  ["ELOOP", "circle"],
  ["EMFILE", "Try again"],
  ["EIO", "input/output error"],
])("%s is reported in a sentence that names the path", async (code, said) => {
  const error = Object.assign(new Error("input/output error"), { code });
  const sentence = await pathProblem("/data/a.txt", error);
  expect(sentence.startsWith("/data/a.txt cannot be read")).toBe(true);
  expect(sentence).toContain(said);
});
