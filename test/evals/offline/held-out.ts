import { DIFF, NEEDS_MODEL, type Question } from "./questions.ts";

type Rules = Omit<Question, "repository" | "prompt" | "good">;

function about(repository: Question["repository"], ...rows: readonly [string, string, Rules][]): Question[] {
  return rows.map(([prompt, good, rules]) => ({ repository, prompt, good, ...rules }));
}

const work = (never: readonly string[] = ["\\.\\w+:\\d+"]): Rules => ({
  contains: [NEEDS_MODEL],
  never,
  status: "partial",
});

/** Fifty more, written after the model and before it was asked them: they show whether it only knows the others. */
export const HELD_OUT: readonly Question[] = [
  ...about(
    "troupe",
    [
      "What does this repo do?",
      "The README's first paragraph.",
      { contains: ["AI agents", "README\\.md:3"] },
    ],
    ["how to run tests", "npm test.", { contains: ["npm test\\b", "package\\.json:\\d+"] }],
    ["how do I run a single test file?", "vitest with a file.", { contains: ["vitest|npm test -- "] }],
    ["how do I lint the code?", "npm run lint.", { contains: ["npm run lint"] }],
    ["what license is it under?", "MIT.", { contains: ["MIT", "(LICENSE|package\\.json):\\d+"] }],
    [
      "where do I add a new tool?",
      "The directory, or the page that says so.",
      { contains: ["src/tools/|docs/architecture\\.md:\\d+"] },
    ],
    [
      "where is the Retry-After header parsed?",
      "retry-after.ts.",
      { contains: ["src/model/error-response\\.ts:\\d+"] },
    ],
    ["what is an actor?", "A definition of it.", { contains: ["(docs|src)/\\S+:\\d+", "actor"] }],
    ["show me the git log", "The newest commits.", { contains: ["{HEAD}"] }],
    ["which npm scripts are there?", "The scripts.", { contains: ["npm run build", "npm run lint"] }],
    [
      "who imports src/model/error-response.ts?",
      "http-model.ts.",
      { contains: ["src/model/http-model\\.ts:\\d+"] },
    ],
    [
      "what does isPathInside do?",
      "Its definition and comment.",
      { contains: ["src/lib/paths\\.ts:4", "boolean"] },
    ],
    ["how many lines of code are there?", "A count.", { contains: ["\\d,\\d{3} lines"] }],
    [
      "how does undo work?",
      "A page or file about undo.",
      { contains: ["(docs|src)/\\S*(undo|merge|revert|worktrees)\\S*:\\d+"] },
    ],
    ["thanks!", "A short reply.", { contains: ["welcome"] }],
    ["what can you do?", "The questions that it answers.", { contains: ["what is this project"] }],
    ["rename isPathInside to isInside everywhere", "That it needs a model.", work()],
    ["why does the build fail?", "That it needs a model.", work()],
    [
      "write a commit message for this",
      "The change summarised; that more needs a model.",
      { contains: ["src/price\\.ts:11", NEEDS_MODEL], status: "partial" },
    ],
    ['run "exit 3"', "The exit code; not done.", { contains: ["exit code 3"], status: "partial" }],
  ).map((one) => (one.prompt.endsWith("for this") ? { ...one, stdin: DIFF } : one)),
  ...about(
    "hexyl",
    ["what's this?", "A hex viewer.", { contains: ["hex viewer", "README\\.md:\\d+"] }],
    ["how do I build it?", "cargo build.", { contains: ["cargo build"] }],
    ["how can I run the tests?", "cargo test.", { contains: ["cargo test"] }],
    ["where are byte offsets parsed?", "main.rs.", { contains: ["src/main\\.rs:7\\d\\d"] }],
    ["who calls process_sign_of?", "main.rs, line 717.", { contains: ["717"] }],
    ["explain src/input.rs", "What it declares.", { contains: ["enum Input", "into_inner"] }],
    ["what are the dependencies?", "The crates.", { contains: ["anyhow", "owo-colors", "clap"] }],
    ["what's the minimum Rust version?", "1.88.", { contains: ["1\\.88"] }],
    ["which file has the most lines?", "lib.rs of the sources.", { contains: ["src/lib\\.rs\\s+1,15\\d"] }],
    ["add an option to print octal", "That it needs a model.", work()],
  ),
  ...about(
    "itsdangerous",
    ["tell me about this project", "Its purpose.", { contains: ["untrusted environments"] }],
    ["how do I run the test suite?", "pytest, or tox.", { contains: ["pytest|tox"] }],
    ["where is SignatureExpired raised?", "timed.py.", { contains: ["timed\\.py:\\d+", "14[29]"] }],
    ["what does want_bytes do?", "Its definition.", { contains: ["encoding\\.py:11", "encoding"] }],
    ["who uses want_bytes?", "The callers.", { contains: ["signer\\.py:\\d+", "timed\\.py:\\d+"] }],
    ["what exceptions are there?", "The classes of exc.py.", { contains: ["exc\\.py:\\d+"] }],
    ["what changed in the last commits?", "The newest commits.", { contains: ["{HEAD}"] }],
    ["where are timestamps checked?", "timed.py.", { contains: ["timed\\.py:\\d+"] }],
    ["what's the directory structure?", "The directories.", { contains: ["src/", "tests/", "docs/"] }],
    ["is the signature algorithm secure?", "That it needs a model.", work()],
  ),
  ...about(
    "morgan",
    ["what is morgan?", "A logger for HTTP requests.", { contains: ["request logger middleware"] }],
    ["how do I install this?", "npm install morgan.", { contains: ["npm install morgan"] }],
    ["how are dates formatted?", "The date token.", { contains: ["index\\.js:(26\\d|27\\d|37\\d|38\\d)"] }],
    ["where is the response time computed?", "Its token.", { contains: ["index\\.js:2[23]\\d"] }],
    ["explain index.js", "What it declares.", { contains: ["function morgan", "function compile"] }],
    ["which node version is required?", "0.8.0.", { contains: ["0\\.8\\.0"] }],
    ["who calls getip?", "The line that calls it.", { contains: ["107"] }],
    ["are there TODOs?", "None.", { contains: ["\\b([Nn]o|0) comments?"] }],
    ["what does it depend on?", "The packages.", { contains: ["basic-auth", "on-finished"] }],
    ["refactor this to TypeScript", "That it needs a model.", work()],
  ),
];
