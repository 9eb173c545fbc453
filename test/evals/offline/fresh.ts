import { DIFF, NEEDS_MODEL, type Question } from "./questions.ts";

type Rules = Omit<Question, "repository" | "prompt" | "good">;

function about(repository: Question["repository"], ...rows: readonly [string, string, Rules][]): Question[] {
  return rows.map(([prompt, good, rules]) => ({ repository, prompt, good, ...rules }));
}

/** A place in the answer; a judgement or an explanation is not expected. */
const at = (...contains: string[]): Rules => ({ contains });
/** As `at`, but the answer may say as well that it is not sure. */
const atMost = (...contains: string[]): Rules => ({ contains, status: "any" });
const work: Rules = { contains: [NEEDS_MODEL], never: ["\\.\\w+:\\d+"], status: "partial" };
/** To be declined; places that fit may be named. */
const thought: Rules = { contains: [NEEDS_MODEL], status: "partial" };

/** Sixty more, written before the model was asked any of them; it was then repaired by rules, not by question. */
export const FRESH: readonly Question[] = [
  ...about(
    "troupe",
    ["how do I run the benchmarks?", "npm run bench.", { ...at("npm run bench\\b"), never: ["`npm start`"] }],
    ["how do I generate the docs?", "npm run docs.", at("npm run docs\\b")],
    ["how can I run the linter?", "npm run lint.", at("npm run lint\\b")],
    [
      "how do I deploy this?",
      "That nothing here says it.",
      { contains: ["(No|Nothing)\\b"], never: ["To deploy it: "], status: "partial" },
    ],
    ["how do I run the soak test?", "npm run test:soak.", at("npm run test:soak")],
    ["how do I format the code?", "npm run format.", at("npm run format")],
    ["what is a mailbox?", "A definition, in the docs or the source.", atMost("mailbox", "\\.(md|ts):\\d+")],
    [
      "where is the session lock taken?",
      "session-lock.ts, or its caller.",
      at("session-lock\\.ts|open-resources\\.ts"),
    ],
    [
      "where is checkBaseURL defined?",
      "base-url.ts, the exported function.",
      { ...at("src/model/base-url\\.ts:\\d+"), never: ["is defined in src/cli/runtime"] },
    ],
    ["who calls checkBaseURL?", "http-model.ts.", at("src/model/http-model\\.ts:\\d+")],
    ["who uses croner?", "src/timers/cron.ts.", at("src/timers/cron\\.ts:1")],
    [
      "which port does it listen on?",
      "The callback's port, or that it is not certain.",
      { contains: ["sign-in\\.ts:\\d+|needs a model"], never: ["supportedIcons"], status: "any" },
    ],
    ["what does atomicWrite do?", "Its definition and comment.", at("src/tools/atomic-write\\.ts:\\d+")],
    ["explain docs/web.md", "Its headings or paragraphs.", at("docs/web\\.md", "# ")],
    ["what is in the bench directory?", "The files of bench/.", at("bench/\\S+\\.ts")],
    ["list the files in src/timers", "The files.", at("src/timers/cron\\.ts")],
    ["which version is this?", "0.1.0.", at("0\\.1\\.0", "package\\.json:\\d+")],
    ["what node version do I need?", "24 for the package.", at(">=24", "package\\.json:\\d+")],
    [
      "who wrote this?",
      "Git's authors, or that it needs a model.",
      atMost("needs a model|README|package\\.json"),
    ],
    ["what changed in the last commit?", "The newest commit.", at("{HEAD}")],
    [
      "where is SIGTERM handled?",
      "A file that handles it.",
      at("src/(cli|mcp|processes)/\\S+:\\d+", "SIGTERM"),
    ],
    ["how are secrets redacted?", "The redactor.", at("(redact|secrets)\\S*:\\d+")],
    ["what happens when an agent crashes?", "A page or file on it.", atMost("\\.(md|ts):\\d+")],
    [
      "is bubblewrap required?",
      "A judgement: needs a model; or the page.",
      atMost("bubblewrap|needs a model"),
    ],
    ["what does the exit code 124 mean?", "Unfinished, left to be resumed.", at("exit-codes\\.ts:\\d+|124")],
    ["translate the README into French", "That it needs a model.", work],
    ["find and fix all type errors", "That it needs a model.", work],
    ["which design pattern would fit the supervisor?", "That it needs a model.", thought],
    [
      "explain this diff",
      "The change summarised with locations.",
      { ...atMost("src/price\\.ts:11", "docs/old\\.md"), stdin: DIFF },
    ],
    ["tell me a joke", "That it needs a model.", work],
  ),
  ...about(
    "ky",
    ["what is this?", "A tiny HTTP client.", at("elegant HTTP client")],
    ["how do I run the tests?", "npm test.", at("npm test\\b", "package\\.json:\\d+")],
    ["how do I debug the tests?", "npm run debug.", at("npm run debug")],
    [
      "where is the retry delay calculated?",
      "Ky.ts, #calculateRetryDelay, or retry-timing.ts.",
      at("source/core/(Ky|retry-timing)\\.ts:\\d+"),
    ],
    ["who calls normalizeRequestMethod?", "Ky.ts, line 357.", at("source/core/Ky\\.ts:?[\\s\\S]*357")],
    ["what does deepMerge do?", "Its definition in merge.ts.", at("source/utils/merge\\.ts:3\\d\\d")],
    ["what are the runtime dependencies?", "None.", at("[Nn]o (other |runtime )?dependencies|none")],
    [
      "what HTTP methods are retried by default?",
      "The list in normalize.ts.",
      atMost("source/utils/normalize\\.ts:\\d+|readme\\.md:\\d+"),
    ],
    [
      "is there a way to cancel a request?",
      "That it needs a model, or the readme's lines.",
      atMost("needs a model|readme\\.md:\\d+"),
    ],
    ["make the default timeout 30 seconds", "That it needs a model.", work],
  ),
  ...about(
    "click",
    ["summarize this project", "A package for command line interfaces.", at("command line interfaces")],
    [
      "how do I run the test suite?",
      "tox or pytest.",
      { ...at("tox|pytest"), never: ["stress`?\\b.*To run"] },
    ],
    [
      "how do I build the docs?",
      "tox -e docs, or sphinx-build; or that nothing says it.",
      atMost("docs|needs a model"),
    ],
    ["where is CliRunner defined?", "testing.py, line 317.", at("src/click/testing\\.py:317")],
    ["who uses make_str?", "core.py, line 2069.", at("2069")],
    [
      "where is password input hidden?",
      "termui.py.",
      at("src/click/(termui|_termui_impl|decorators|core)\\.py:\\d+", "hide_input|password"),
    ],
    ["which exceptions are defined?", "The classes of exceptions.py.", at("src/click/exceptions\\.py:\\d+")],
    ["what are the biggest source files?", "core.py first.", at("src/click/core\\.py\\s+3,79\\d")],
    [
      "how does shell completion work?",
      "shell_completion.py, or its page.",
      atMost("shell_completion\\.py:\\d+|shell-completion\\.md:\\d+"),
    ],
    ["port the parser to Rust", "That it needs a model.", work],
  ),
  ...about(
    "chi",
    ["tell me what this repo is", "A router for Go.", at("composable router")],
    ["how do I run the middleware tests?", "make test-middleware.", at("make test-middleware")],
    ["how do I install chi?", "go get.", at("go get -u github\\.com/go-chi/chi/v5")],
    ["which Go version is needed?", "1.23.", at("go 1\\.23")],
    ["where are panics recovered?", "recoverer.go.", at("middleware/recoverer\\.go:\\d+")],
    ["who calls longestPrefix?", "tree.go.", at("tree\\.go:201", "608")],
    ["what's the difference between Route and Mount?", "That it needs a model.", thought],
    ["explain middleware/throttle.go", "What it declares.", at("middleware/throttle\\.go", "func Throttle")],
    ["what does patNextSegment do?", "Its definition and comment.", at("tree\\.go:735")],
    ["add rate limiting by API key", "That it needs a model.", work],
  ),
];

/** Twenty more about this repository and one that was not seen before, written after that repair and before they were asked. */
export const AGAIN: readonly Question[] = [
  ...about(
    "troupe",
    [
      "how do I check for unused code?",
      "npm run unused or npm run check, or that nothing says it.",
      atMost("npm run (?:unused|check)|needs a model"),
    ],
    ["how do I run the crash tests?", "npm run test:crash.", at("npm run test:crash")],
    [
      "where is the process host started?",
      "A file of src/processes or the one that starts it.",
      atMost("src/(processes|session)/\\S+:\\d+"),
    ],
    ["what does formatCount do?", "Its definition.", at("src/lib/text\\.ts:\\d+")],
    ["who uses compileGlob?", "The callers.", at("src/\\S+\\.ts:\\d+", "globs\\.ts")],
    ["explain src/timers", "The files in it.", at("src/timers/cron\\.ts")],
    [
      "what is a worktree?",
      "A definition, in the docs or the source.",
      atMost("worktree", "\\.(md|ts):\\d+"),
    ],
    ["is there a faster way to do this?", "That it needs a model.", atMost(NEEDS_MODEL)],
    ["delete all unused exports", "That it needs a model.", work],
    ["where are cron expressions parsed?", "src/timers/cron.ts.", at("src/timers/cron\\.ts:\\d+")],
  ),
  ...about(
    "fd",
    ["what does this tool do?", "Finds entries in the file system.", at("find entries|alternative to find")],
    ["how do I build it?", "cargo build.", at("cargo build")],
    ["how do I run the tests?", "cargo test.", at("cargo test")],
    ["what's the minimum supported Rust version?", "1.90.0.", at("1\\.90")],
    ["where are size filters parsed?", "src/filter/size.rs.", at("src/filter/size\\.rs:\\d+")],
    ["who calls print_entry?", "src/walk.rs.", at("src/(walk|output)\\.rs:\\d+")],
    ["explain src/exit_codes.rs", "What it declares.", at("enum ExitCode", "merge_exitcodes")],
    ["which TODOs are there?", "Those of src/output.rs and others.", at("src/output\\.rs:\\d+")],
    [
      "how does parallel traversal work?",
      "walk.rs, or that it needs a model.",
      atMost("src/walk\\.rs:\\d+|needs a model"),
    ],
    ["rewrite the walker with async", "That it needs a model.", work],
  ),
];
