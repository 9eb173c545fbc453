import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderApiDoc } from "../scripts/api-doc/render.ts";
import { renderEventsDoc } from "../scripts/events-doc/render.ts";
import { renderToolsDoc } from "../scripts/tools-doc/render.ts";

test("docs/tools.md says what the definitions say; `npm run docs` renews it", () => {
  const written = readFileSync(join(import.meta.dirname, "../docs/tools.md"), "utf8");
  expect(written).toBe(renderToolsDoc());
});

test("docs/events.md has every event with its fields; `npm run docs` renews it", () => {
  const written = readFileSync(join(import.meta.dirname, "../docs/events.md"), "utf8");
  expect(written).toBe(renderEventsDoc());
});

test("docs/reference.md has every export of the library with its docstring; `npm run docs` renews it", () => {
  const written = readFileSync(join(import.meta.dirname, "../docs/reference.md"), "utf8");
  expect(written).toBe(renderApiDoc());
  // A heading is followed by words, not by code.
  expect([...written.matchAll(/^### (\S+)\n\n```/gm)].map(([, name]) => name)).toEqual([]);
});

test("the path of a prompt has at most 25 files, and every source that the architecture names exists", () => {
  const root = join(import.meta.dirname, "..");
  const text = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const section = text.slice(
    text.indexOf("## The path of a prompt"),
    text.indexOf("## Whether a call may run"),
  );
  const steps = [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path]) => path);
  expect(steps.length).toBeGreaterThan(10);
  expect(steps.length).toBeLessThanOrEqual(25);
  expect(new Set(steps).size).toBe(steps.length);
  const named = [...text.matchAll(/`((?:[a-z-]+\/)+[a-z-]+\.ts)`/g)].map(([, path = ""]) => path);
  const isThere = (path: string) =>
    ["src", "", "src/policy"].some((from) => existsSync(join(root, from, path)));
  expect(named.filter((path) => !isThere(path))).toEqual([]);
});
