import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const tests = join(import.meta.dirname, "..");

test("each fault of a fleet names a test that exists", () => {
  const rows = [
    ...readFileSync(join(tests, "fleet/README.md"), "utf8").matchAll(/^\| (.+?) \| `(.+?)` \| (.+) \|$/gm),
  ];
  expect(rows.length).toBeGreaterThan(30);
  const missing = rows.filter(([, , file = "", title = ""]) => {
    const text = readFileSync(join(tests, file), "utf8");
    return !text.includes(`"${title}"`);
  });
  expect(missing.map(([, fault]) => fault)).toEqual([]);
});
