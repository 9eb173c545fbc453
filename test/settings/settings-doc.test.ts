import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderSettingsDoc } from "../../scripts/settings-doc/render.ts";

test("docs/settings.md says what the catalogue says; `npm run docs` renews it", () => {
  const written = readFileSync(join(import.meta.dirname, "../../docs/settings.md"), "utf8");
  expect(written).toBe(renderSettingsDoc());
});
