import { DIFF, NEEDS_MODEL, type Question } from "./questions.ts";

type Rules = Omit<Question, "repository" | "prompt" | "good">;

function about(repository: Question["repository"], ...rows: readonly [string, string, Rules][]): Question[] {
  return rows.map(([prompt, good, rules]) => ({ repository, prompt, good, ...rules }));
}

/** In the answer. */
const at = (...contains: string[]): Rules => ({ contains });
/** In its first line: what is offered first. */
const first = (...places: string[]): Rules => ({ contains: places.map((place) => `^[^\\n]*${place}`) });
/** As `at`, but the answer may say as well that it is not sure. */
const atMost = (...contains: string[]): Rules => ({ contains, status: "any" });
const work: Rules = { contains: [NEEDS_MODEL], never: ["\\.\\w+:\\d+"], status: "partial" };
const thought: Rules = { contains: [NEEDS_MODEL], status: "partial" };

/** Fifty, most of them about places, written before the model had rules for directories and files of the asked name. */
export const PLACES: readonly Question[] = [
  ...about(
    "troupe",
    ["where is the mailbox?", "The directory src/mailbox.", first("src/mailbox\\b")],
    [
      "where is a budget kept?",
      "src/features/budget: the ledger, or the directory.",
      { ...first("src/features/budget"), never: ["fit-list"] },
    ],
    ["where is the journal?", "The directory src/journal.", first("src/journal")],
    ["where is the supervisor?", "src/supervisor.", first("src/supervisor")],
    ["where are hooks run?", "Of the hooks' directories.", first("src/(policy|features)/hooks")],
    ["where is the sandbox?", "Its directories.", first("src/(policy|features)/sandbox")],
    ["where are the tests?", "The directory test/.", first("test/")],
    ["where is the CLI?", "src/cli.", first("src/cli")],
    [
      "where are permissions checked?",
      "src/policy, or the gate.",
      at("src/(policy|features/gate|cli/permissions|tools)/\\S+"),
    ],
    ["where is the documentation?", "docs/.", first("docs/")],
    ["where is the Bash tool defined?", "src/tools/bash.ts.", at("src/tools/bash\\S*:\\d+")],
    ["where does a session get locked?", "session-lock.ts.", at("session-lock\\.ts")],
    [
      "where is worktree.merge handled?",
      "A source of worktrees or isolation.",
      at("src/\\S*(worktree|isolation|settings)\\S*:\\d+"),
    ],
    ["where are prices of models?", "src/model/known-models.ts.", first("src/model/known-models\\.ts")],
    ["who calls shorten?", "Its callers.", at("src/\\S+\\.ts:\\d+", "src/lib/text\\.ts")],
    ["what is in src/policy?", "Its files.", at("src/policy/protected-paths\\.ts")],
    ["how do I install this?", "npm install.", at("npm (install|ci)")],
    ["make the tests faster", "That it needs a model.", work],
    ["how good is the error handling?", "That it needs a model.", thought],
    ["summarize this change", "The change.", { ...at("src/price\\.ts:11", "docs/old\\.md"), stdin: DIFF }],
  ),
  ...about(
    "commander",
    ["what is this project?", "Command lines for node.", at("complete solution")],
    ["where is help generated?", "lib/help.js.", first("lib/help\\.js")],
    ["where are options parsed?", "command.js, or option.js.", at("lib/(command|option)\\.js:\\d+")],
    ["where is suggestSimilar used?", "lib/command.js.", at("lib/command\\.js:\\d+")],
    ["what does formatItem do?", "help.js, line 651.", at("lib/help\\.js:6[45]\\d")],
    ["how do I run the linter?", "npm run check:lint.", at("check:lint")],
    ["where are the examples?", "examples/.", first("examples/")],
    ["what are the dev dependencies?", "eslint and others.", at("eslint", "typescript-eslint")],
    ["where are conflicting options detected?", "command.js, about 1702.", at("lib/command\\.js:17\\d\\d")],
    ["support TOML config files", "That it needs a model.", work],
  ),
  ...about(
    "requests",
    ["what does this library do?", "HTTP for humans.", at("HTTP (library|for Humans)")],
    ["how do I run the tests?", "make test, or pytest.", at("make test|pytest")],
    ["where are cookies handled?", "cookies.py.", first("src/requests/cookies\\.py")],
    [
      "where are redirects followed?",
      "sessions.py, resolve_redirects.",
      at("src/requests/sessions\\.py:\\d+", "redirect"),
    ],
    [
      "where is proxy bypassing decided?",
      "utils.py, should_bypass_proxies or the like.",
      at("src/requests/utils\\.py:\\d+", "bypass"),
    ],
    ["who calls should_strip_auth?", "sessions.py.", at("src/requests/sessions\\.py:?[\\s\\S]*3[12]\\d")],
    ["what is HTTPAdapter?", "The class, with its comment.", at("src/requests/adapters\\.py:158")],
    ["what does it depend on?", "urllib3 and others.", at("urllib3", "certifi", "idna")],
    ["how do I build the docs?", "make docs.", at("make docs")],
    ["is it thread safe?", "That it needs a model.", thought],
  ),
  ...about(
    "fzf",
    ["what is this?", "A fuzzy finder.", at("fuzzy finder")],
    ["how do I build it?", "make, or go build.", at("make( build| install)?\\b|go build")],
    ["where is the matcher?", "src/matcher.go.", first("src/matcher\\.go")],
    ["where is the history stored?", "src/history.go.", first("src/history\\.go")],
    ["where are ANSI colors parsed?", "src/ansi.go.", at("src/ansi\\.go:\\d+")],
    ["who calls parseTerms?", "pattern.go.", at("src/pattern\\.go:1\\d\\d")],
    ["explain src/proxy.go", "What it declares.", at("runProxy", "src/proxy\\.go:\\d+")],
    ["how do I run the integration tests?", "make itest.", atMost("make itest|needs a model")],
    ["which files are biggest?", "terminal.go.", at("src/terminal\\.go\\s+8,8\\d\\d")],
    ["how many TODOs are there?", "A count.", at("\\d+ comments", "src/tui/tcell\\.go")],
  ),
];
