import type { PlanRequest } from "../../policy/user-requests.ts";

/** Programs that run the scripts of package.json. */
export const scriptRunners = ["npm", "pnpm", "yarn", "bun"] as const;
export type ScriptRunner = (typeof scriptRunners)[number];

/** Tools of a project other than scripts and targets, by their command. */
export type ProjectTool = "cargo" | "go" | "pip" | "uv" | "poetry" | "pytest" | "ruff" | "mypy" | "black";

/** The commands of a project according to its files. */
export interface ProjectCommands {
  /** Null if it has no package.json. */
  readonly runner: ScriptRunner | null;
  readonly scripts: ReadonlySet<string>;
  /** Targets of its Makefile. */
  readonly targets: ReadonlySet<string>;
  readonly tools: ReadonlySet<ProjectTool>;
}

/** A row of the table that turns plain text into rules; `docs/plan-mode.md` shows it. */
export interface PromptKind {
  readonly name: string;
  /** Without articles; no other text means this. */
  readonly phrases: readonly string[];
  /** Names of the script in package.json. */
  readonly scripts?: readonly string[];
  /** Names of the target in a Makefile. */
  readonly targets?: readonly string[];
  /** Commands of other tools, if the project has them. */
  readonly tools?: Readonly<Partial<Record<ProjectTool, readonly string[]>>>;
  /** Commands of the program that runs scripts. */
  readonly runners?: Readonly<Record<ScriptRunner, readonly string[]>>;
  /** Rules that hold in every project. */
  readonly always?: readonly string[];
}

/**
 * What a plan can request permission for. Every rule is exactly one command, without more arguments, except git add and
 * git commit -m. Nothing that leaves the machine (push, publish, deploy) is in it.
 */
export const promptKinds: readonly PromptKind[] = [
  {
    name: "run tests",
    phrases: ["run tests", "run test", "run test suite", "execute tests", "test", "tests"],
    scripts: ["test", "tests", "test:run", "test:ci"],
    targets: ["test", "tests"],
    tools: { cargo: ["cargo test"], go: ["go test ./..."], pytest: ["pytest", "python -m pytest"] },
  },
  {
    name: "run unit tests",
    phrases: ["run unit tests", "unit tests"],
    scripts: ["test:unit", "unit"],
    targets: ["test-unit", "unit"],
    tools: { cargo: ["cargo test --lib"] },
  },
  {
    name: "run integration tests",
    phrases: ["run integration tests", "integration tests"],
    scripts: ["test:integration", "integration"],
    targets: ["test-integration", "integration"],
  },
  {
    name: "run end-to-end tests",
    phrases: ["run end-to-end tests", "run end to end tests", "run e2e tests", "e2e tests"],
    scripts: ["test:e2e", "e2e"],
    targets: ["test-e2e", "e2e"],
  },
  {
    name: "install dependencies",
    phrases: ["install dependencies", "install deps", "install packages", "install required dependencies"],
    targets: ["deps", "dependencies"],
    tools: {
      cargo: ["cargo fetch"],
      go: ["go mod download"],
      pip: ["pip install -r requirements.txt"],
      uv: ["uv sync"],
      poetry: ["poetry install"],
    },
    runners: {
      npm: ["npm install", "npm ci"],
      pnpm: ["pnpm install"],
      yarn: ["yarn install"],
      bun: ["bun install"],
    },
  },
  {
    name: "build",
    phrases: ["build", "run build", "build code", "build app", "compile", "compile code"],
    scripts: ["build", "compile"],
    targets: ["build"],
    tools: { cargo: ["cargo build"], go: ["go build ./..."] },
  },
  {
    name: "lint",
    phrases: ["lint", "run lint", "run linter", "run linting", "lint code"],
    scripts: ["lint"],
    targets: ["lint"],
    tools: { cargo: ["cargo clippy"], go: ["go vet ./..."], ruff: ["ruff check", "ruff check ."] },
  },
  {
    name: "type-check",
    phrases: [
      ...["type-check", "typecheck", "type check", "check types", "run type checker"],
      ...["run type check", "run type checks", "run typecheck", "run type-check"],
    ],
    scripts: ["typecheck", "type-check", "check-types", "types", "tsc"],
    targets: ["typecheck", "type-check", "types"],
    tools: { cargo: ["cargo check"], mypy: ["mypy ."] },
  },
  {
    name: "format",
    phrases: ["format", "format code", "format files", "run format", "run formatter"],
    scripts: ["format", "fmt"],
    targets: ["format", "fmt"],
    tools: { cargo: ["cargo fmt"], go: ["go fmt ./..."], ruff: ["ruff format"], black: ["black ."] },
  },
  {
    name: "run checks",
    phrases: ["run checks", "run check", "check"],
    scripts: ["check"],
    targets: ["check"],
  },
  {
    name: "git status",
    phrases: ["git status", "run git status", "check git status", "show git status"],
    always: ["Bash(git status)"],
  },
  {
    name: "git diff",
    phrases: ["git diff", "run git diff", "show git diff", "view git diff"],
    always: ["Bash(git diff)", "Bash(git diff --staged)"],
  },
  {
    name: "git log",
    phrases: ["git log", "run git log", "show git log", "view git log"],
    always: ["Bash(git log)", "Bash(git log --oneline)"],
  },
  {
    name: "git add",
    phrases: ["git add", "stage files", "stage changes"],
    always: ["Bash(git add:*)"],
  },
  {
    name: "git commit",
    phrases: [
      ...["git commit", "commit", "commit changes", "create commit", "create commits"],
      ...["create git commit", "create git commits", "make commit", "make commits"],
    ],
    always: ["Bash(git add:*)", "Bash(git commit -m:*)"],
  },
];

/** Returns the rules of each prompt; none if it will still be asked about. */
export function allowsOf(prompts: readonly string[], project: ProjectCommands): PlanRequest["allows"] {
  const asked = [...new Set(prompts.map((prompt) => prompt.trim()).filter(Boolean))];
  return asked.map((prompt) => ({ prompt, rules: rulesOf(prompt, project) }));
}

/** The whole prompt must match a row of the table: with one more word it is not understood. */
function rulesOf(prompt: string, project: ProjectCommands): readonly string[] {
  const words = plain(prompt);
  const kind = promptKinds.find(({ phrases }) => phrases.includes(words));
  return kind ? rulesOfKind(kind, project) : [];
}

function rulesOfKind(kind: PromptKind, project: ProjectCommands): readonly string[] {
  const { scripts = [], targets = [], tools = {}, runners, always = [] } = kind;
  const { runner } = project;
  const commands = [
    ...(runner === null ? [] : scripts.filter((name) => project.scripts.has(name)).flatMap(script(runner))),
    ...(runner === null || !runners ? [] : runners[runner]),
    ...targets.filter((name) => project.targets.has(name)).map((name) => `make ${name}`),
    ...[...project.tools].flatMap((tool) => tools[tool] ?? []),
  ];
  return [...always, ...commands.map((command) => `Bash(${command})`)];
}

/** Returns the usual commands to run a script. */
function script(runner: ScriptRunner): (name: string) => readonly string[] {
  return (name) => {
    const whole = `${runner} run ${name}`;
    // yarn runs every script by its bare name, npm and pnpm only `test`; `bun test` is another program.
    const isShort = runner === "yarn" || (name === "test" && runner !== "bun");
    return isShort ? [`${runner} ${name}`, whole] : [whole];
  };
}

const FILLERS: readonly string[] = ["a", "an", "the", "all", "my", "our", "this", "project", "project's"];

function plain(prompt: string): string {
  const words = prompt
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[.!]+$/, "")
    .trim()
    .split(/\s+/);
  return words.filter((word) => !FILLERS.includes(word)).join(" ");
}
