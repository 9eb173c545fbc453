import { expect, onTestFinished, test } from "vitest";
import { MAIN } from "../../src/mailbox/ids.ts";
import { startProcesses } from "../../src/processes/client.ts";
import { cleanEnvironment, commandEnvironment, commandsOwn } from "../../src/processes/environment.ts";

const allows = (name: string, added: readonly string[] = []) =>
  name in commandEnvironment({ [name]: "value" }, added);

const MODEL_KEYS = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "anthropic_api_key",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "TROUPE_SECRET",
  "ANTHROPIC_CUSTOM_HEADERS",
];
const STEERING = [
  ..."BASH_ENV ENV SHELLOPTS BASHOPTS BASH_FUNC_ls%% CDPATH PS4 PROMPT_COMMAND IFS POSIXLY_CORRECT".split(
    " ",
  ),
  ..."NODE_OPTIONS LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES GCONV_PATH PYTHONSTARTUP".split(
    " ",
  ),
  ..."PERL5OPT RUBYOPT JAVA_TOOL_OPTIONS _JAVA_OPTIONS NODE_COMPILE_CACHE".split(" "),
];

test.each(
  [
    "PATH HOME USER SHELL LANG LC_ALL LC_CTYPE TERM TZ TMPDIR CI NODE_ENV NO_COLOR XDG_CONFIG_HOME IS_SANDBOX",
    "HTTP_PROXY https_proxy no_proxy NODE_EXTRA_CA_CERTS JAVA_HOME CARGO_HOME VIRTUAL_ENV Path SystemRoot",
  ].flatMap((line) => line.split(" ")),
)("commands see %s", (name) => {
  expect(allows(name)).toBe(true);
});

test.each([
  ...MODEL_KEYS,
  ...STEERING,
  ..."OPENAI_API_KEY GITHUB_TOKEN AWS_SECRET_ACCESS_KEY AWS_PROFILE DATABASE_URL PGPASSWORD".split(" "),
  ..."SSH_AUTH_SOCK MY_SETTING PYTHONPATH GIT_SSH_COMMAND EDITOR PAGER LESSOPEN *".split(" "),
])("commands do not see %s", (name) => {
  expect(allows(name)).toBe(false);
});

const GIT_STEERING = [
  "GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_NAMESPACE GIT_CEILING_DIRECTORIES GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM",
  "GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 GIT_EXEC_PATH GIT_TEMPLATE_DIR",
].flatMap((line) => line.split(" "));

test.each(GIT_STEERING)("no setting points git elsewhere: commands do not see %s (issue 6, C11)", (name) => {
  expect(allows(name)).toBe(false);
  expect(allows(name, [name])).toBe(false);
  expect(allows(name, ["GIT_*"])).toBe(false);
  expect(allows(name.toLowerCase(), [name])).toBe(false);
  expect(commandsOwn({ [name]: "value" })).toEqual({});
});

test("keeps the user's git author and how git reaches a server", () => {
  const names =
    "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_SSL_CAINFO".split(" ");
  expect(names.every((name) => allows(name))).toBe(true);
  expect(allows("GIT_SSH_COMMAND", ["GIT_SSH_COMMAND"])).toBe(true);
});

test.each<[string, string[], boolean]>([
  ["MY_SETTING", ["MY_SETTING"], true],
  ["MY_SETTING", ["MY_*"], true],
  ["MY_SETTING", ["MY"], false],
  ["YOUR_SETTING", ["MY_*"], false],
  // The whole environment is no list of names.
  ["MY_SETTING", ["*"], false],
  ["MY_SETTING", [""], false],
  // What opens something has to be named itself.
  ["GITHUB_TOKEN", ["GITHUB_TOKEN"], true],
  ["GITHUB_TOKEN", ["GITHUB_*"], false],
  ["GITHUB_ACTOR", ["GITHUB_*"], true],
  ["AWS_SECRET_ACCESS_KEY", ["AWS_*"], false],
  ["SSH_AUTH_SOCK", ["SSH_*"], false],
  ["SSH_AUTH_SOCK", ["SSH_AUTH_SOCK"], true],
])("settings can let commands see: %s by %j is %s", (name, added, seen) => {
  expect(allows(name, added)).toBe(seen);
});

test.each([...MODEL_KEYS, ...STEERING])("no settings and no request let a child see %s", (name) => {
  expect(allows(name, [name, `${name.slice(0, 3)}*`])).toBe(false);
  expect(cleanEnvironment({ [name]: "value" })).toEqual({});
});

test("what is unset stays unset", () => {
  expect(commandEnvironment({ PATH: undefined, HOME: "" })).toEqual({ HOME: "" });
});

test("a child gets what is allowed, what settings add, and what its request adds", async () => {
  const env = { PATH: process.env["PATH"], MY_A: "1", MY_B_KEY: "2", OTHER: "3", LD_PRELOAD: "" };
  const processes = startProcesses({ env, commandEnv: ["MY_*"] });
  onTestFinished(() => processes.close());
  const { stdout } = await processes.run({
    ...{ id: "r", owner: MAIN, file: "env", args: [], cwd: "/", env: { EXTRA: "4", NODE_OPTIONS: "--x" } },
    ...{ timeoutMs: 60_000, maxOutputBytes: 10_000 },
  });
  const names = stdout.split("\n").map((line) => line.split("=", 1)[0]);
  expect(names).toEqual(expect.arrayContaining(["PATH", "MY_A", "EXTRA", "TROUPE_OWNER"]));
  for (const name of ["MY_B_KEY", "OTHER", "LD_PRELOAD", "NODE_OPTIONS"]) expect(names).not.toContain(name);
});
