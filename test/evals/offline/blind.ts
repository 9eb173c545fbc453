import { DIFF, NEEDS_MODEL, type Question } from "./questions.ts";

type Rules = Omit<Question, "repository" | "prompt" | "good">;

function about(repository: Question["repository"], ...rows: readonly [string, string, Rules][]): Question[] {
  return rows.map(([prompt, good, rules]) => ({ repository, prompt, good, ...rules }));
}

const at = (...contains: string[]): Rules => ({ contains });
const first = (...places: string[]): Rules => ({ contains: places.map((place) => `^[^\\n]*${place}`) });
const work: Rules = { contains: [NEEDS_MODEL], never: ["\\.\\w+:\\d+"], status: "partial" };
const thought: Rules = { contains: [NEEDS_MODEL], status: "partial" };

/** Forty more, written after the rules for paths and before they were asked, three of the repositories not seen before. */
export const BLIND: readonly Question[] = [
  ...about(
    "troupe",
    ["where is the process host?", "src/processes, or its host.ts.", at("src/processes/")],
    [
      "where are cron jobs scheduled?",
      "src/timers, or what uses it.",
      at("src/(timers|tools/timers|supervisor|session|features)/\\S*"),
    ],
    ["where are settings read?", "src/settings.", first("src/settings")],
    ["what does narrower do?", "src/settings/permissions.ts.", at("src/settings/permissions\\.ts:\\d+")],
    ["who calls startProcesses?", "Its callers.", at("src/processes/client\\.ts", "src/\\S+\\.ts:\\d+")],
    ["how do I run the soak tests?", "npm run test:soak.", at("npm run test:soak")],
    ["what's new?", "The newest commits.", at("{HEAD}")],
    ["explain src/journal/fork.ts", "What it declares.", at("src/journal/fork\\.ts:\\d+")],
    ["what should I improve first?", "That it needs a model.", thought],
    ["describe this diff", "The change.", { ...at("src/price\\.ts:11", "deleted"), stdin: DIFF }],
  ),
  ...about(
    "flask",
    ["what is flask?", "A web framework.", at("web application framework|building complex web")],
    ["how do I run the tests?", "tox or pytest.", at("tox|pytest")],
    ["where are blueprints?", "blueprints.py.", first("blueprints\\.py")],
    ["where is the session cookie signed?", "sessions.py.", at("src/flask/sessions\\.py:\\d+")],
    ["who calls find_best_app?", "cli.py.", at("src/flask/cli\\.py:?[\\s\\S]*2\\d\\d")],
    ["what does send_file do?", "helpers.py, line 417.", at("src/flask/helpers\\.py:417")],
    ["which python version does it require?", "3.10.", at(">=3\\.10")],
    ["what are the dependencies?", "blinker and others.", at("blinker", "werkzeug")],
    ["where is the dotenv file loaded?", "cli.py, load_dotenv.", at("src/flask/cli\\.py:\\d+")],
    ["convert the views to async", "That it needs a model.", work],
  ),
  ...about(
    "express",
    ["what is this project?", "A web framework.", at("minimalist web framework")],
    ["how do I run the linter?", "npm run lint.", at("npm run lint\\b")],
    ["where are views looked up?", "lib/view.js.", at("lib/(view|application)\\.js")],
    ["what does createETagGenerator do?", "lib/utils.js, line 249.", at("lib/utils\\.js:249")],
    ["where are the tests?", "test/.", first("test/")],
    ["who calls tryRender?", "lib/application.js.", at("lib/application\\.js:?[\\s\\S]*5\\d\\d")],
    ["where is a cookie cleared?", "lib/response.js, clearCookie.", at("lib/response\\.js:7\\d\\d")],
    ["which license does it have?", "MIT.", at("MIT")],
    ["which are the largest files?", "History.md or a test.", at("History\\.md", "lib/response\\.js")],
    ["is express faster than koa?", "That it needs a model.", thought],
  ),
  ...about(
    "xsv",
    ["what does it do?", "A program for CSV files.", at("CSV")],
    ["how do I build it?", "cargo build.", at("cargo build")],
    ["where is the join command?", "src/cmd/join.rs.", first("src/cmd/join\\.rs")],
    ["where is the selector parsed?", "src/select.rs.", at("src/select\\.rs:\\d+")],
    ["who calls chunk_size?", "The commands that use it.", at("src/cmd/\\w+\\.rs:\\d+")],
    ["what does condense do?", "src/util.rs, line 90.", at("src/util\\.rs:90")],
    ["list the commands", "Those of src/cmd, or the README's.", at("frequency", "slice")],
    ["explain src/config.rs", "What it declares.", at("src/config\\.rs:\\d+", "struct Config")],
    ["show me the layout", "The directories.", at("src/", "tests/")],
    ["add a command that sorts by two columns", "That it needs a model.", work],
  ),
];
