/** The other repositories, on GitHub, and the commits that the questions are about. */
export const COMMITS = {
  chi: "go-chi/chi 735ae2b87f8c733d616e809ae86e0985c1bc3350",
  click: "pallets/click 2c8cd3ac958a7eb316d67f2d316c27086c4c0369",
  commander: "tj/commander.js ba6d13ddb4243e5913367734f8c159089ffe7834",
  express: "expressjs/express a3714473feb3d2908add734d340e7755fd85e0a3",
  fd: "sharkdp/fd ee20f426ddf338ac7ead5c5f00ea49258005caaf",
  flask: "pallets/flask 2ac89889f4cc330eabd50f295dcef02828522c69",
  fzf: "junegunn/fzf 956562daaa82ddf55ea8f7aeab56883377b742c6",
  godotenv: "joho/godotenv 97a2850142438b3c357c1d3439e325181afdcc1d",
  hexyl: "sharkdp/hexyl 8eb6d4771ce1ec7af65d06bd335457783b77d557",
  "http-server": "http-party/http-server 741ae2b482e283c96fd87e1744af06e7de9852ab",
  itsdangerous: "pallets/itsdangerous 672971d66a2ef9f85151e53283113f33d642dabd",
  ky: "sindresorhus/ky 3419113b48e034fdcf8fa6bd3be3da7b3d0d758f",
  morgan: "expressjs/morgan 203c75852adadcc5e3a9ba23b0ef07a8e81c5af7",
  requests: "psf/requests 1f6589ec3a1ee910f9a65cc3ceac60b26677bc0e",
  "sqlite-utils": "simonw/sqlite-utils 56dd09702fdb9e899f577ffd51693c1f2176cb08",
  xsv: "BurntSushi/xsv f4304660231d7907798e831411871d2679d335c3",
} as const;

/** A question to the offline model, written down before the model that should answer it. */
export interface Question {
  readonly repository: "troupe" | keyof typeof COMMITS;
  readonly prompt: string;
  readonly stdin?: string;
  /** What a good answer is, for a reader. */
  readonly good: string;
  /** Every pattern occurs in a good answer. `{HEAD}` stands for the newest commit's short hash. */
  readonly contains: readonly string[];
  /** No pattern occurs: it would mislead. */
  readonly never?: readonly string[];
  /** How a good request ends; `done` if absent. `any`: it may be unsure, and say so. */
  readonly status?: "partial" | "any";
}

export const NEEDS_MODEL = "needs a model.*ANTHROPIC_API_KEY";

export const DIFF = [
  "diff --git a/src/price.ts b/src/price.ts",
  "index 83db48f..bf26948 100644",
  "--- a/src/price.ts",
  "+++ b/src/price.ts",
  "@@ -10,3 +10,4 @@ export function total(items) {",
  "   let sum = 0;",
  "-  for (const item of items) sum += item.price;",
  "+  for (const item of items) sum += item.price * item.count;",
  "+  console.log(sum);",
  "   return sum;",
  "diff --git a/docs/old.md b/docs/old.md",
  "deleted file mode 100644",
  "index 3367afd..0000000",
  "--- a/docs/old.md",
  "+++ /dev/null",
  "@@ -1 +0,0 @@",
  "-old",
  "",
].join("\n");

export const QUESTIONS: readonly Question[] = [
  {
    repository: "troupe",
    prompt: "what is this project?",
    good: "The README's first paragraph, cited.",
    contains: ["many AI agents", "README\\.md:3"],
  },
  {
    repository: "troupe",
    prompt: "how do I build this?",
    good: "npm run build, from package.json.",
    contains: ["npm run build", "package\\.json:\\d+"],
  },
  {
    repository: "troupe",
    prompt: "how do I run the tests?",
    good: "npm test, and what else runs tests.",
    contains: ["npm test\\b", "package\\.json:\\d+"],
  },
  {
    repository: "troupe",
    prompt: "How can I start it?",
    good: "npm start.",
    contains: ["npm start\\b", "package\\.json:\\d+"],
  },
  {
    repository: "troupe",
    prompt: "describe the directory layout",
    good: "The directories, with how much is in each.",
    contains: ["\\bsrc/", "\\btest/", "\\bdocs/", "\\d+ files"],
  },
  {
    repository: "troupe",
    prompt: "where are exit codes decided?",
    good: "The file of exit codes.",
    contains: ["src/cli/exit-codes\\.ts:\\d+"],
  },
  {
    repository: "troupe",
    prompt: "who calls retryAfterMs?",
    good: "The callers, cited, and not the definition alone.",
    contains: ["src/model/http-model\\.ts:\\d+"],
  },
  {
    repository: "troupe",
    prompt: "what changed lately?",
    good: "The newest commits, by git.",
    contains: ["{HEAD}"],
  },
  {
    repository: "troupe",
    prompt: "explain src/model/base-url.ts",
    good: "What the file declares, with lines and its own comments.",
    contains: ["src/model/base-url\\.ts", "checkBaseURL", "DEFAULT_BASE_URL"],
  },
  {
    repository: "troupe",
    prompt: "what does the function resolveModel do?",
    good: "Where it is defined, and its comment or body.",
    contains: ["src/model/model-names\\.ts:\\d+", "alias"],
  },
  {
    repository: "troupe",
    prompt: "which commands does it have?",
    good: "The subcommands of troupe and the npm scripts, cited.",
    contains: ["fanout", "sessions", "npm run build"],
  },
  {
    repository: "troupe",
    prompt: "are there any TODOs?",
    good: "The lines, cited.",
    contains: ["TODO", "\\.ts:\\d+"],
  },
  {
    repository: "troupe",
    prompt: "what are the dependencies?",
    good: "The packages, from package.json.",
    contains: ["@anthropic-ai/sdk", "zod", "croner"],
  },
  {
    repository: "troupe",
    prompt: "which files are the largest?",
    good: "Files with their sizes, the largest first.",
    contains: ["package-lock\\.json"],
  },
  {
    repository: "troupe",
    prompt: "review this change",
    stdin: DIFF,
    good: "The change summarised with locations; that to judge it needs a model; not done.",
    contains: ["src/price\\.ts:11", "docs/old\\.md", "deleted", NEEDS_MODEL],
    status: "partial",
  },
  {
    repository: "troupe",
    prompt: "hello",
    good: "A greeting, and what it can be asked.",
    contains: ["[Hh]ello", "what is this project"],
  },
  {
    repository: "troupe",
    prompt: "add a test for the parser",
    good: "One sentence that it needs a model and how to get one; not done.",
    contains: [NEEDS_MODEL],
    never: ["src/\\S+:\\d+"],
    status: "partial",
  },
  {
    repository: "troupe",
    prompt: "how does an agent end?",
    good: "The file that says how an agent ends.",
    contains: ["src/(mailbox/messages|actors/ending|supervisor/lifecycle)\\.ts:\\d+"],
  },
  {
    repository: "troupe",
    prompt: "is this code base secure?",
    good: "That to judge it needs a model.",
    contains: [NEEDS_MODEL],
    status: "partial",
  },
  {
    repository: "troupe",
    prompt: 'in README.md replace "no such words stand here" with "x"',
    good: "That the edit failed and why; not done.",
    contains: ["README\\.md was not changed"],
    status: "partial",
  },

  {
    repository: "godotenv",
    prompt: "what is this project?",
    good: "A Go port of dotenv, from the README.",
    contains: ["port of the Ruby", "README\\.md:3"],
  },
  {
    repository: "godotenv",
    prompt: "how do I run the tests?",
    good: "go test.",
    contains: ["go test"],
  },
  {
    repository: "godotenv",
    prompt: "how do I install it?",
    good: "go get or go install, from the README.",
    contains: ["go (get|install).*github\\.com/joho/godotenv", "README\\.md:\\d+"],
  },
  {
    repository: "godotenv",
    prompt: "where is expandVariables defined?",
    good: "parser.go, line 271.",
    contains: ["parser\\.go:271"],
  },
  {
    repository: "godotenv",
    prompt: "who calls parseBytes?",
    good: "godotenv.go.",
    contains: ["godotenv\\.go:\\d+"],
  },
  {
    repository: "godotenv",
    prompt: "explain parser.go",
    good: "Its functions with their lines.",
    contains: ["parseBytes", "expandVariables", "parser\\.go:\\d+"],
  },
  {
    repository: "godotenv",
    prompt: "list the dependencies",
    good: "None: go.mod requires nothing.",
    contains: ["go\\.mod", "\\b[Nn]o (other )?(dependencies|packages)"],
  },
  {
    repository: "godotenv",
    prompt: "what changed recently?",
    good: "The newest commits.",
    contains: ["{HEAD}"],
  },
  {
    repository: "godotenv",
    prompt: "which commands are there?",
    good: "The command godotenv, in cmd/godotenv.",
    contains: ["cmd/godotenv/cmd\\.go"],
  },
  {
    repository: "godotenv",
    prompt: "write a parser for YAML files",
    good: "That it needs a model; not done.",
    contains: [NEEDS_MODEL],
    status: "partial",
  },

  {
    repository: "http-server",
    prompt: "what does this project do?",
    good: "A static file server for the command line.",
    contains: ["zero-configuration", "(README\\.md|package\\.json):\\d+"],
  },
  {
    repository: "http-server",
    prompt: "how do I run it?",
    good: "npm start, or the command http-server.",
    contains: ["npm start|npx http-server|http-server \\[path\\]"],
  },
  {
    repository: "http-server",
    prompt: "how are the tests run?",
    good: "npm test, which runs tap.",
    contains: ["npm test", "tap"],
  },
  {
    repository: "http-server",
    prompt: "where is CORS handled?",
    good: "The lines of the server that set the headers.",
    contains: ["lib/http-server\\.js:\\d+"],
  },
  {
    repository: "http-server",
    prompt: "what does lib/core/etag.js do?",
    good: "The file's code.",
    contains: ["lib/core/etag\\.js:\\d+", "etag|mtime"],
  },
  {
    repository: "http-server",
    prompt: "show me the TODOs",
    good: "The lines, cited.",
    contains: ["lib/core/index\\.js:211", "lib/core/index\\.js:303"],
  },
  {
    repository: "http-server",
    prompt: "what does it depend on?",
    good: "The packages.",
    contains: ["minimatch", "portfinder", "union"],
  },
  {
    repository: "http-server",
    prompt: "what are the biggest files here?",
    good: "Files by size.",
    contains: ["package-lock\\.json", "lib/core/index\\.js"],
  },
  {
    repository: "http-server",
    prompt: "who uses minimatch?",
    good: "The lines that use it.",
    contains: ["lib/http-server\\.js:\\d+"],
  },
  {
    repository: "http-server",
    prompt: "fix the broken access check",
    good: "That it needs a model; not done.",
    contains: [NEEDS_MODEL],
    status: "partial",
  },

  {
    repository: "sqlite-utils",
    prompt: "what is this repository about?",
    good: "A command and a library for SQLite databases.",
    contains: ["manipulating SQLite databases", "(README\\.md|pyproject\\.toml):\\d+"],
  },
  {
    repository: "sqlite-utils",
    prompt: "how do I run the tests?",
    good: "pytest, by uv or just.",
    contains: ["pytest|just test"],
  },
  {
    repository: "sqlite-utils",
    prompt: "list all commands",
    good: "The commands of cli.py.",
    contains: ["sqlite_utils/cli\\.py:\\d+", "create-table", "insert"],
  },
  {
    repository: "sqlite-utils",
    prompt: "where is insert_all defined?",
    good: "db.py, line 4673.",
    contains: ["sqlite_utils/db\\.py:4673"],
  },
  {
    repository: "sqlite-utils",
    prompt: "who calls chunks?",
    good: "The calls in cli.py and db.py.",
    contains: ["sqlite_utils/cli\\.py:1131", "sqlite_utils/db\\.py:4827"],
  },
  {
    repository: "sqlite-utils",
    prompt: "explain the function hash_record",
    good: "Its definition, with its docstring.",
    contains: ["sqlite_utils/utils\\.py:585", "hash"],
  },
  {
    repository: "sqlite-utils",
    prompt: "show me the project structure",
    good: "The directories.",
    contains: ["sqlite_utils/", "tests/", "docs/"],
  },
  {
    repository: "sqlite-utils",
    prompt: "which Python version does it need?",
    good: "3.10 or later.",
    contains: [">=3\\.10"],
  },
  {
    repository: "sqlite-utils",
    prompt: "how are plugins loaded?",
    good: "plugins.py.",
    contains: ["sqlite_utils/plugins\\.py:\\d+"],
  },
  {
    repository: "sqlite-utils",
    prompt: "what does this diff change?",
    stdin: DIFF,
    good: "The change summarised with locations.",
    contains: ["src/price\\.ts:11", "docs/old\\.md", "deleted"],
  },
];
