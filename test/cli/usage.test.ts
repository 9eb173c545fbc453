import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { commands, namedCommands } from "../../src/cli/commands/index.ts";
import { main } from "../../src/cli/main.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { FakeIO, type FakeIOOptions } from "./fake-io.ts";
import { FakeRuntime, type FakeScript } from "./fake-session.ts";

async function run(argv: readonly string[], options: FakeIOOptions = {}, script: FakeScript = {}) {
  const io = new FakeIO(options);
  const runtime = new FakeRuntime(script);
  const code = await main(argv, io, runtime);
  return { code, out: io.out.text, err: io.err.text, sessions: runtime.sessions.length };
}

describe("help", () => {
  test("of everything names every command, flag of -p, exit code and environment variable", async () => {
    const { code, out, err } = await run(["--help"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const { name } of commands) expect(out).toContain(`\n  ${name} `);
    for (const word of [
      "--output-format text|json",
      "ANTHROPIC_BASE_URL",
      "TROUPE_MAX_AGENTS",
      "130  ",
      "143  ",
    ]) {
      expect(out).toContain(word);
    }
  });

  test.each(namedCommands.map(({ name }) => name))(
    "of %s has its flags with defaults, and examples",
    async (name) => {
      const words = name.split(" ");
      const { code, out } = await run([...words, "--help", "--no-such-flag"]);
      expect(code).toBe(0);
      expect(out).toContain(`troupe ${name}`);
      expect(out).toContain("Examples\n");
      expect(out).toContain("  -h, --help");
      expect((await run(["help", ...words])).out).toBe(out);
      expect((await run([...words, "-h"])).out).toBe(out);
    },
  );

  test("of fanout says what happens without a flag", async () => {
    const { out } = await run(["fanout", "--help"]);
    expect(out).toContain("(default: Explore; general-purpose with --isolation)");
    expect(out).toContain("(default: TROUPE_MAX_AGENTS, else 32)");
  });

  test("has no line that wraps on a wide terminal", async () => {
    const lines = (await run(["--help"])).out.split("\n");
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });
});

test("the version is that of package.json", async () => {
  expect(await run(["--version"])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/),
  });
});

test("bare troupe says in two lines what to try, exit code 2", async () => {
  const { code, out, err } = await run([]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain("troupe -p");
  expect(err.trimEnd().split("\n")).toHaveLength(2);
});

describe("wrong usage is one sentence on stderr, exit code 2, and starts nothing", () => {
  const folder = "/definitely/not/there";
  test.each<[argv: string[], sentence: string, options?: FakeIOOptions]>([
    [["fanot", "x"], 'There is no command "fanot"; did you mean troupe fanout?'],
    [["--trust", "mcp", "list"], "A command comes before its flags: troupe mcp and then the rest."],
    [["help", "fanot"], 'There is no command "fanot"; did you mean troupe fanout?'],
    [
      ["what is this?"],
      'There is no command "what is this?"; to ask something, write troupe -p "…"; troupe --help lists the commands.',
    ],
    [["-p"], '-p needs a prompt: troupe -p "your question", or text on stdin.'],
    [["-p", " "], '-p needs a prompt: troupe -p "your question", or text on stdin.'],
    [["-p"], '-p needs a prompt: troupe -p "your question", or text on stdin.', { stdin: " \n" }],
    [
      ["-p", "fix", "the bug"],
      '-p takes one prompt, but 2 arguments were given (the second is "the bug"); put the whole prompt in quotes.',
    ],
    [
      ["-p", "x", "--output-format", "jsn"],
      '--output-format cannot be "jsn"; it is one of text, json, stream-json (did you mean json?).',
    ],
    [
      ["-p", "x", "--input-format", "stream-json", "--output-format", "stream-json"],
      "With --input-format stream-json prompts come on stdin; leave out the one after -p.",
    ],
    [
      ["-p", "x", "--include-partial-messages"],
      "--include-partial-messages needs --output-format stream-json.",
    ],
    [
      ["-p", "--input-format", "stream-json"],
      "--input-format stream-json needs --output-format stream-json.",
    ],
    [
      ["-p", "x", "--permission-mode", "yolo"],
      '--permission-mode cannot be "yolo"; it is one of default, acceptEdits, plan, bypassPermissions, dontAsk.',
    ],
    [["-p", "x", "--max-turns", "0"], '--max-turns cannot be "0"; it is a whole number from 1 to 100000.'],
    [["-p", "x", "--cwd", folder], `--cwd ${folder}: there is no such directory; check the path.`],
    [["-p", "x", "--add-dir", folder], `--add-dir ${folder}: there is no such directory; check the path.`],
    [
      ["-p", "x", "--cwd", import.meta.filename],
      `--cwd ${import.meta.filename}: this is a file; give the directory it is in.`,
    ],
    [
      ["-p", "x", "--offline", "--model", "opus"],
      "--offline and --model opus contradict each other; give one of them.",
    ],
    [
      ["-p", "x"],
      'The base URL of the model server (ANTHROPIC_BASE_URL) is wrong: "localhost:1" does not start with http:// or https://; write it like http://localhost:11434.',
      { env: { ANTHROPIC_BASE_URL: "localhost:1" } },
    ],
    [
      ["-p", "x"],
      "ANTHROPIC_API_KEY contains a space, a line break or another character no key has; set it again.",
      { env: { ANTHROPIC_API_KEY: "sk-a b" } },
    ],
    [
      ["fanout", "x"],
      'TROUPE_MAX_AGENTS is "2000"; set it to a whole number from 1 to 1024, or unset it.',
      { env: { TROUPE_MAX_AGENTS: "2000" } },
    ],
    [
      ["-p", "x"],
      'TROUPE_MAX_AGENTS is "many"; set it to a whole number from 1 to 1024, or unset it.',
      { env: { TROUPE_MAX_AGENTS: "many" } },
    ],
    [["fanout"], 'fanout needs at least one task: troupe fanout "task" "task", or one per line on stdin.'],
    [
      ["fanout"],
      'fanout needs at least one task: troupe fanout "task" "task", or one per line on stdin.',
      { stdin: "\n \n" },
    ],
    [["fanout", "a", ""], "Task 2 of 2 is empty; say what the agent must do."],
    [
      ["fanout", "--concurrency", "1025", "a"],
      '--concurrency cannot be "1025"; it is a whole number from 1 to 1024.',
    ],
    [
      ["fanout", "--agent", "Exlore", "a"],
      'There is no agent "Exlore" (did you mean Explore?); there are Explore, code-reviewer.',
    ],
    [["start", " "], "Question 1 is empty; say what you want to know."],
    [["agents", "Explore"], 'agents does not take "Explore"; leave it out.'],
    [
      ["top", "a", "b"],
      'top does not take "b"; write troupe top [SESSION], with quotes around what has spaces.',
    ],
    [["undo", ""], "The AGENT of undo is empty; write troupe undo [AGENT]."],
    [["sessions"], "sessions needs a subcommand: list, show, export or resume."],
    [["sessions", "lsit"], 'sessions has no subcommand "lsit"; did you mean sessions list?'],
    [["sessions", "delete"], 'sessions has no subcommand "delete"; it has list, show, export and resume.'],
    [["sessions", "show"], "sessions show needs ID: troupe sessions show ID."],
    [["sessions", "show", " "], "The ID of sessions show is empty; write troupe sessions show ID."],
    [
      ["sessions", "show", "abc", "def"],
      'sessions show does not take "def"; write troupe sessions show ID, with quotes around what has spaces.',
    ],
    [["sessions", "list", "abc"], 'sessions list does not take "abc"; leave it out.'],
    [["worktrees", "diff", "a", "--force"], "worktrees diff has no --force; it is for worktrees remove."],
    [
      ["worktrees", "list", "--trust"],
      "worktrees list has no --trust; it is for worktrees merge, restore, remove and sweep.",
    ],
    [["sessions", "show", "../.."], 'There is no session "../.."; troupe sessions list --all shows them.'],
  ])("%j", async (argv, sentence, options = {}) => {
    expect(await run(argv, options)).toEqual({ code: 2, out: "", err: `troupe: ${sentence}\n`, sessions: 0 });
  });

  test("and stays one line of visible characters whatever was typed", async () => {
    const { err } = await run(["-p", "x", "--cwd", "a\u001b[2J\u202eb"]);
    expect(err).toBe("troupe: --cwd a<U+202E>b: there is no such directory; check the path.\n");
  });
});

test("an unreadable stdin is named", async () => {
  const stdin = new Readable({
    read() {
      this.destroy(Object.assign(new Error("EISDIR: illegal operation"), { code: "EISDIR" }));
    },
  });
  expect(await run(["-p"], { stdin })).toMatchObject({
    code: 2,
    err: "troupe: stdin cannot be read (EISDIR); give the prompt as an argument.\n",
  });
});

test("more than 10 MB on stdin is not a prompt", async () => {
  const stdin = Readable.from(Array.from({ length: 11 }, () => Buffer.alloc(1_000_000, "a")));
  expect(await run(["-p"], { stdin })).toMatchObject({
    code: 2,
    err: "troupe: More than 10 MB came on stdin; put it in a file and name the file in the prompt.\n",
  });
});

describe("an unexpected error", () => {
  const broken = new Error("The journal cannot be written.");

  test("is one sentence, exit code 1", async () => {
    const { code, out, err } = await run(["-p", "x", "--offline"], {}, { broken });
    expect({ code, out, err }).toEqual({ code: 1, out: "", err: "troupe: The journal cannot be written.\n" });
  });

  test("has its stack under --debug only", async () => {
    const { err } = await run(["-p", "x", "--offline", "--debug"], {}, { broken });
    expect(err).toMatch(/^troupe: The journal cannot be written\.\nError: The journal.*\n {4}at /);
    expect((await run(["-p", "x", "--offline", "--", "--debug"], {}, { broken })).err).not.toContain(
      "    at ",
    );
  });
});

test("a broken settings file is one warning, and the run continues", async () => {
  const homedir = temporaryFolder();
  mkdirSync(join(homedir, ".claude"));
  writeFileSync(join(homedir, ".claude/settings.json"), '{\n  "model": "opus",\n  oops\n}');
  const { code, err, sessions } = await run(["-p", "x", "--offline"], { homedir });
  expect({ code, sessions }).toEqual({ code: 0, sessions: 1 });
  expect(err.split("\n").filter((line) => line.includes("settings.json"))).toEqual([
    expect.stringMatching(/line 3, column 3 is not valid JSON; correct it/),
  ]);
});
