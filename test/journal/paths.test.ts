import { resolve } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { journalFile, sessionPaths, slugOf, troupeHome } from "../../src/journal/paths.ts";
import { SESSION } from "./samples.ts";

test.each([
  [{}, "/home/ann/.troupe"],
  [{ TROUPE_HOME: "" }, "/home/ann/.troupe"],
  [{ TROUPE_HOME: "/data/troupe" }, "/data/troupe"],
  [{ TROUPE_HOME: "~/state" }, "/home/ann/state"],
  [{ TROUPE_HOME: "state" }, resolve("state")],
])("troupeHome of %j is %s", (env, home) => {
  expect(troupeHome(env, "/home/ann")).toBe(home);
});

test("a session lives in projects/<slug>/<id> below home", () => {
  const place = sessionPaths("/h", "/home/ann/my.repo", SESSION);
  expect(place).toEqual({ home: "/h", folder: `/h/projects/-home-ann-my-repo/${SESSION}` });
  expect(journalFile(place.folder)).toBe(`${place.folder}/journal.jsonl`);
});

test("a slug is one short file name, whatever the path", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 4_000 }), (path) => {
      expect(slugOf(`/${path}`)).toMatch(/^[A-Za-z0-9-]{1,200}$/);
    }),
    { seed: 1, numRuns: 200 },
  );
});

test("two long paths that differ only where they are cut have different slugs", () => {
  const long = `/${"deep/".repeat(100)}`;
  expect(slugOf(`${long}a`)).not.toBe(slugOf(`${long}b`));
  expect(slugOf(`${long}a`)).toBe(slugOf(`${long}a`));
});
