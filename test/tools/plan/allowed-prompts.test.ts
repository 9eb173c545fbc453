import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  allowsOf,
  type ProjectCommands,
  type PromptKind,
  promptKinds,
  scriptRunners,
} from "../../../src/tools/plan/allowed-prompts.ts";

const empty: ProjectCommands = { runner: null, scripts: new Set(), targets: new Set(), tools: new Set() };
const npm: ProjectCommands = {
  ...empty,
  runner: "npm",
  scripts: new Set(["test", "test:unit", "build", "lint", "types", "deploy", "postinstall"]),
};

function rulesFor(prompt: string, project: ProjectCommands = npm) {
  return allowsOf([prompt], project)[0]?.rules;
}

describe("a prompt becomes rules (A14.9)", () => {
  test.each([
    ["run tests", ["Bash(npm test)", "Bash(npm run test)"]],
    ["Run the tests.", ["Bash(npm test)", "Bash(npm run test)"]],
    ["run all of the tests", []],
    ["run unit tests", ["Bash(npm run test:unit)"]],
    ["run integration tests", []],
    ["install dependencies", ["Bash(npm install)", "Bash(npm ci)"]],
    ["build the project", ["Bash(npm run build)"]],
    ["run the linter", ["Bash(npm run lint)"]],
    ["type-check", ["Bash(npm run types)"]],
    ["git status", ["Bash(git status)"]],
    ["git diff", ["Bash(git diff)", "Bash(git diff --staged)"]],
    ["commit changes", ["Bash(git add:*)", "Bash(git commit -m:*)"]],
  ])("%s", (prompt, rules) => {
    expect(rulesFor(prompt)).toEqual(rules);
  });

  test.each([
    ["deploy"],
    ["run tests and deploy"],
    ["run tests; rm -rf /"],
    ["run tests) Bash(*"],
    ["git push"],
    ["npm publish"],
    ["install lodash"],
    ["run any command"],
    ["*"],
    ["Bash"],
    ["run te\u0430sts"],
  ])("%s is not understood, so it will still be asked about", (prompt) => {
    expect(allowsOf([prompt], npm)).toEqual([{ prompt, rules: [] }]);
  });

  test("blank prompts are left out, and the same one is shown once", () => {
    expect(allowsOf(["run tests", " ", " run tests "], npm).map(({ prompt }) => prompt)).toEqual([
      "run tests",
    ]);
  });

  test.each([
    ["pnpm", ["Bash(pnpm test)", "Bash(pnpm run test)"], ["Bash(pnpm run build)"]],
    ["yarn", ["Bash(yarn test)", "Bash(yarn run test)"], ["Bash(yarn build)", "Bash(yarn run build)"]],
    ["bun", ["Bash(bun run test)"], ["Bash(bun run build)"]],
  ] as const)("%s runs scripts in its own way", (runner, tests, build) => {
    expect(rulesFor("run tests", { ...npm, runner })).toEqual(tests);
    expect(rulesFor("build", { ...npm, runner })).toEqual(build);
  });

  test.each([
    ["make", { targets: new Set(["test", "install"]) }, ["Bash(make test)"], []],
    ["cargo", { tools: new Set(["cargo"]) }, ["Bash(cargo test)"], ["Bash(cargo fetch)"]],
    ["go", { tools: new Set(["go"]) }, ["Bash(go test ./...)"], ["Bash(go mod download)"]],
    [
      "pytest",
      { tools: new Set(["pytest", "uv"]) },
      ["Bash(pytest)", "Bash(python -m pytest)"],
      ["Bash(uv sync)"],
    ],
  ] as const)("a project with %s", (_, has, tests, install) => {
    const project = { ...empty, ...has } as ProjectCommands;
    expect(rulesFor("run tests", project)).toEqual(tests);
    expect(rulesFor("install dependencies", project)).toEqual(install);
  });

  test("a project without a command for it has no rule for it", () => {
    for (const { phrases, always } of promptKinds)
      for (const phrase of phrases) expect(rulesFor(phrase, empty)).toEqual(always ?? []);
  });
});

describe("the table", () => {
  const everything = promptKinds.flatMap(
    ({ always = [], tools = {}, runners, targets = [], scripts = [] }) => [
      ...always,
      ...[...Object.values(tools), ...Object.values(runners ?? {})]
        .flat()
        .map((command) => `Bash(${command})`),
      ...targets.map((name) => `Bash(make ${name})`),
      ...scripts.map((name) => `Bash(npm run ${name})`),
    ],
  );

  test("has narrow rules only: one plain command each, open at its end only for git add and git commit -m", () => {
    for (const rule of everything) expect(rule).toMatch(/^Bash\([\w ./:-]+(:\*)?\)$/);
    const open = everything.filter((rule) => rule.includes("*"));
    expect([...new Set(open)]).toEqual(["Bash(git add:*)", "Bash(git commit -m:*)"]);
  });

  test("has nothing that leaves the machine, and means one thing by one phrase", () => {
    expect(everything.join()).not.toMatch(/push|publish|deploy|release|sudo|rm /);
    const phrases = promptKinds.flatMap((kind) => kind.phrases);
    expect(new Set(phrases).size).toBe(phrases.length);
  });

  test("every name is understood as what it names, and every phrase as it is written", () => {
    for (const kind of promptKinds) {
      expect(kind.phrases).toContain(kind.name);
      for (const phrase of kind.phrases) {
        const project = { ...npm, scripts: new Set(kind.scripts) };
        expect(rulesFor(phrase, project)?.length).toBeGreaterThan(0);
      }
    }
  });

  test("is the one in docs/plan-mode.md", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/plan-mode.md"), "utf8");
    const rows = page.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| What"));
    expect(rows).toEqual(promptKinds.map(row));
  });
});

function row({ name, scripts = [], targets = [], tools = {}, runners, always = [] }: PromptKind): string {
  const cells = [
    name,
    [...scripts, ...(runners ? scriptRunners.flatMap((runner) => runners[runner]) : [])],
    targets.map((target) => `make ${target}`),
    Object.values(tools).flat(),
    always,
  ];
  return `| ${cells.map((cell) => (typeof cell === "string" ? cell : code(cell))).join(" | ")} |`;
}

function code(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(", ");
}
