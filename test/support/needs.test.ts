import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { onLinux, unless } from "./needs.ts";

test("a reason skips a test, and its options carry it to the last lines of the run", () => {
  expect(unless("there is no moon")).toEqual({ skip: true, meta: { skipped: "there is no moon" } });
  expect(unless(null)).toEqual({});
  expect(onLinux.skip ?? false).toBe(process.platform !== "linux");
});

test("no test is skipped in a way that has no reason", () => {
  const folder = join(import.meta.dirname, "..");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const bare = files.filter((name) =>
    /\b(?:test|it|describe)\.(?:skip|skipIf|runIf|todo)\b/.test(readFileSync(join(folder, name), "utf8")),
  );
  expect(files.length).toBeGreaterThan(300);
  expect(bare).toEqual([]);
});
