import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";
import { expect, onTestFinished, test } from "vitest";
import { bundles } from "../../scripts/bundles.ts";

test("troupe/policy is one file of its own that exports decide and judge", { tags: ["long"] }, async () => {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(exports["./policy"]).toEqual({
    types: "./dist/types/policy/index.d.ts",
    default: "./dist/policy.js",
  });
  const bundle = bundles.find(({ name }) => name === "policy");
  expect(bundle).toMatchObject({ entry: "src/policy/index.ts", external: [], kind: "library" });

  const dir = mkdtempSync(join(tmpdir(), "troupe-entry-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const { output } = await build({
    input: "src/policy/index.ts",
    platform: "node",
    output: { dir, entryFileNames: "policy.mjs" },
  });
  expect(output.map(({ fileName }) => fileName)).toEqual(["policy.mjs"]);
  const built: Record<string, unknown> = await import(pathToFileURL(join(dir, "policy.mjs")).href);
  expect(Object.keys(built)).toEqual(["decide", "judge"]);
  const { decide } = built;
  if (typeof decide !== "function") throw new Error("decide is no function");
  expect(decide({ allow: [], ask: [], deny: [] }, "default", dir, "Bash", { command: "ls | head" })).toBe(
    "allow",
  );
  expect(decide({}, "bypass", dir, "Bash", { command: "sudo rm -rf /" })).toBe("ask");
});
