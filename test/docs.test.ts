import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderApiDoc } from "../scripts/api-doc/render.ts";
import { renderToolsDoc } from "../scripts/tools-doc/render.ts";

test("docs/tools.md says what the definitions say; `npm run docs` renews it", () => {
  const written = readFileSync(join(import.meta.dirname, "../docs/tools.md"), "utf8");
  expect(written).toBe(renderToolsDoc());
});

test("docs/reference.md has every export of the library with its docstring; `npm run docs` renews it", () => {
  const written = readFileSync(join(import.meta.dirname, "../docs/reference.md"), "utf8");
  expect(written).toBe(renderApiDoc());
  // A heading is followed by words, not by code.
  expect([...written.matchAll(/^### (\S+)\n\n```/gm)].map(([, name]) => name)).toEqual([]);
});
