import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderToolsDoc } from "../scripts/tools-doc/render.ts";

test("docs/tools.md says what the definitions say; `npm run docs` renews it", () => {
  const written = readFileSync(join(import.meta.dirname, "../docs/tools.md"), "utf8");
  expect(written).toBe(renderToolsDoc());
});
