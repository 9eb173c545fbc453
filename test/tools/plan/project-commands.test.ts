import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectCommands } from "../../../src/tools/plan/project-commands.ts";
import { temporaryFolder } from "../../support/temporary.ts";

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const nothing = { runner: null, scripts: new Set(), targets: new Set(), tools: new Set() };
const manifest = JSON.stringify({ scripts: { test: "vitest", build: "tsc", odd: 1 } });

test.each([
  ["an empty folder", {}, {}],
  ["package.json", { "package.json": manifest }, { runner: "npm", scripts: new Set(["test", "build"]) }],
  [
    "a lock file tells the runner",
    { "package.json": manifest, "pnpm-lock.yaml": "" },
    { runner: "pnpm", scripts: new Set(["test", "build"]) },
  ],
  [
    "packageManager comes before a lock file",
    { "package.json": JSON.stringify({ packageManager: "yarn@4.1.0" }), "package-lock.json": "{}" },
    { runner: "yarn" },
  ],
  [
    "an unknown runner",
    { "package.json": JSON.stringify({ packageManager: "evil@1; rm" }) },
    { runner: "npm" },
  ],
  ["a broken package.json", { "package.json": "{" }, {}],
  ["scripts that are none", { "package.json": JSON.stringify({ scripts: "test" }) }, {}],
  [
    "a Makefile",
    { Makefile: "CC := gcc\nVAR=1\n.PHONY: test\ntest lint: deps\n\tgo test\nbuild::\n\nrun:=x\n" },
    { targets: new Set(["test", "lint"]) },
  ],
  ["Cargo and Go", { "Cargo.toml": "", "go.mod": "module x" }, { tools: new Set(["cargo", "go"]) }],
  [
    "Python",
    {
      "pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n# [tool.black]\n",
      "requirements.txt": "",
      "uv.lock": "",
    },
    { tools: new Set(["pip", "uv", "pytest", "ruff"]) },
  ],
] as const)("%s", async (_, files, found) => {
  expect(await projectCommands(folderWith(files))).toEqual({ ...nothing, ...found });
});

test("a pipe in place of a file is not waited for, and a huge file says nothing", async () => {
  const folder = folderWith({ Makefile: `test:\n${"#".repeat(1024 * 1024)}` });
  execFileSync("mkfifo", [join(folder, "package.json")]);
  expect(await projectCommands(folder)).toEqual(nothing);
  expect(await projectCommands(join(folder, "missing"))).toEqual(nothing);
});
