import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Ended, troupe } from "../support/cli-process.ts";
import {
  type MessagesServer,
  type RecordedRequest,
  type ServedCall,
  type ServedReply,
  startMessagesServer,
} from "../support/messages-server.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** Agents work with every tool, by the real program, in a repository nobody has seen (issue "Hands", "done when"). */

const FILES: Readonly<Record<string, string>> = {
  "lib/tide.py":
    'GAUGES = 7\n\n\ndef highest_tide(levels):\n    """The highest of all."""\n    return max(levels)\n',
  "README.md": "# Tides\n\nMeasured by gauges.\n",
  "notes/today.txt": "calm\n",
};

function repository(): string {
  const folder = temporaryFolder("troupe-unseen-");
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  execFileSync("git", ["init", "--quiet", folder]);
  return folder;
}

const acting = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"];
/** Two commands that only end when the other one runs as well. */
const meeting = (mine: string, other: string) =>
  `touch ${mine}; for i in $(seq 500); do [ -e ${other} ] && echo met && exit; sleep 0.02; done; exit 9`;

describe("with the offline model", { timeout: 60_000 }, () => {
  test("-p explores, creates, replaces, appends, runs, also in the background, and is notified", {
    tags: ["long"],
  }, async () => {
    const cwd = repository();
    const prompt = [
      "where is highest_tide defined?",
      'create lib/new.py with "WATER = 1"',
      'in lib/tide.py replace "GAUGES = 7" with "GAUGES = 9" and append "Done." to README.md',
      'run "grep -c . README.md lib/new.py"',
      'in background: run "sleep 0.1; echo high water"',
    ].join("\n");
    const { code, out, err } = await troupe(["-p", prompt, ...acting], { cwd });
    expect(code, err).toBe(0);
    expect(out).toContain("lib/tide.py:4");
    expect(out).toContain("ran:\n\n    README.md:3\n    lib/new.py:1\n");
    expect(out).toMatch(/ended with exit code 0 \(completed\):\n\nhigh water/);
    expect(textIn(cwd, "lib/tide.py")).toBe(FILES["lib/tide.py"]?.replace("7", "9"));
    expect(textIn(cwd, "README.md")).toBe("# Tides\n\nMeasured by gauges.\nDone.\n");
  });

  test("fanout does each of these in an agent of its own, at the same time", { tags: ["long"] }, async () => {
    const cwd = repository();
    const tasks = [
      "where is highest_tide defined?",
      'create lib/new.py with "WATER = 1"',
      'in lib/tide.py replace "GAUGES = 7" with "GAUGES = 9"',
      'append "Done." to README.md',
      `run "${meeting("a", "b")}"`,
      `run "${meeting("b", "a")}" and run "echo side"`,
      'in background: run "sleep 0.1; echo high water"',
    ];
    const ended = await troupe(["fanout", ...tasks, "--agent", "general-purpose", "--json", ...acting], {
      cwd,
    });
    expect(ended.code, ended.err).toBe(0);
    expect(summariesOf(ended)).toEqual([
      expect.stringContaining("lib/tide.py:4"),
      "lib/new.py was created.",
      expect.stringContaining("was replaced with"),
      expect.stringContaining("was appended: README.md:4"),
      expect.stringContaining("met"),
      expect.stringMatching(/met[\s\S]*side/),
      expect.stringContaining("high water"),
    ]);
    expect(textIn(cwd, "lib/new.py")).toBe("WATER = 1");
  });
});

/** What a model would do, one reply after the other; the last one only once it was notified. */
function replies(cwd: string, answered: string): readonly ServedReply[] {
  const call = (name: string, input: unknown): ServedCall => ({ name, input });
  const file_path = join(cwd, "lib/tide.py");
  return [
    {
      calls: [
        call("Glob", { pattern: "**/*.py" }),
        call("Grep", { pattern: "def \\w+", output_mode: "content" }),
      ],
    },
    { calls: [call("Read", { file_path })] },
    {
      calls: [
        call("Edit", { file_path, old_string: "GAUGES = 7", new_string: "GAUGES = 9" }),
        call("Write", { file_path: join(cwd, "lib/new.py"), content: "WATER = 1\n" }),
        call("TodoWrite", { todos: [{ content: "Look", status: "in_progress", activeForm: "Looking" }] }),
      ],
    },
    {
      calls: [
        call("Bash", { command: meeting("a", "b"), description: "Meet" }),
        call("Bash", { command: meeting("b", "a"), description: "Meet" }),
      ],
    },
    {
      calls: [
        call("Bash", {
          // Its end is no news to who has it with the results of that turn already.
          command: `until test -e ${answered}; do sleep 0.05; done; echo high water; exit 3`,
          run_in_background: true,
        }),
      ],
    },
    { text: "It is on its way." },
    { text: "It came." },
  ];
}

async function played(cwd: string): Promise<MessagesServer> {
  const answered = join(temporaryFolder(), "answered");
  const server = await startMessagesServer(({ body }) => {
    const said = body.messages.filter(({ role }) => role === "assistant").length;
    const reply = replies(cwd, answered)[said] ?? { text: "nothing left to say" };
    if ("text" in reply) writeFileSync(answered, "");
    return reply;
  });
  onTestFinished(() => server.close());
  return server;
}

describe("with a server that plays the model", { timeout: 60_000 }, () => {
  test.each([
    ["-p", ["-p", "look after the tides"]],
    ["fanout", ["fanout", "look after the tides", "--agent", "general-purpose"]],
  ])(
    "%s: every tool does its work, and the end of the background comes by itself",
    { tags: ["long"] },
    async (_name, args) => {
      const cwd = repository();
      const server = await played(cwd);
      const ended = await troupe([...args, ...acting], { cwd, url: server.url });
      expect(ended.code, ended.err).toBe(0);
      expect(ended.out).toContain("It came.");
      const results = resultsIn(server.requests.at(-1));
      expect(results.map(({ isError }) => isError)).toEqual(results.map(() => false));
      expect(results.map(({ text }) => text)).toEqual([
        join(cwd, "lib/tide.py"),
        "lib/tide.py:4:def highest_tide(levels):",
        expect.stringContaining("1\tGAUGES = 7"),
        expect.stringContaining("was edited: line 1."),
        expect.stringContaining("lib/new.py was created: 1 line."),
        expect.stringContaining("Continue with: Look"),
        "met\n[Exit code 0]",
        "met\n[Exit code 0]",
        expect.stringContaining("Running in the background with the id "),
      ]);
      expect(JSON.stringify(server.requests.at(-1)?.body)).toMatch(
        /<status>failed<\/status>.*It ended with exit code 3\..*high water/,
      );
      expect(textIn(cwd, "lib/tide.py")).toBe(FILES["lib/tide.py"]?.replace("7", "9"));
    },
  );

  test("whatever a model sends, each call gets one result that says what to do, and the conversation continues", {
    tags: ["long"],
  }, async () => {
    const cwd = repository();
    const bad: readonly ServedCall[] = [
      { name: "Raed", input: { file_path: join(cwd, "README.md") } },
      { name: "Read", input: {}, rawInput: '{"file_path": "/x' },
      { name: "Read", input: { file_path: "README.md" } },
      { name: "Read", input: { file_path: ["/a"] } },
      { name: "Read", input: { file_path: join(cwd, "RAEDME.md") } },
      { name: "Write", input: { file_path: join(cwd, "lib"), content: "x" } },
      { name: "Write", input: { file_path: join(cwd, "x"), text: "x" } },
      { name: "Edit", input: { file_path: join(cwd, "README.md"), old_string: "a", new_string: "b" } },
      { name: "NotebookEdit", input: { notebook_path: join(cwd, "a.ipynb"), new_source: "x" } },
      { name: "Glob", input: { pattern: "*", path: join(cwd, "none") } },
      { name: "Grep", input: { pattern: "(" } },
      { name: "Bash", input: { command: "" } },
      { name: "Bash", input: { command: "trap '' TERM; sleep 60 & sleep 60", timeout: 50 } },
      { name: "TodoWrite", input: { todos: [{ content: "x" }] } },
      { name: "TaskUpdate", input: { taskId: "7", status: "completed" } },
      { name: "TaskOutput", input: { task_id: "b0000" } },
      { name: "TaskStop", input: { task_id: null } },
      { name: "Monitor", input: { task_id: "b0000", lines: 5 } },
      { name: "Agent", input: { description: "x", prompt: "y", subagent_type: "wizard" } },
    ];
    const server = await startMessagesServer(({ body }) =>
      body.messages.length === 1 ? { calls: bad } : { text: "I go on." },
    );
    onTestFinished(() => server.close());
    const { code, out, err } = await troupe(["-p", "try all", ...acting], { cwd, url: server.url });
    expect({ code, out }, err).toEqual({ code: 0, out: "I go on.\n" });
    const results = resultsIn(server.requests.at(-1));
    expect(results).toHaveLength(bad.length);
    for (const [at, { isError, text }] of results.entries()) {
      expect(isError, `${bad[at]?.name}: ${text}`).toBe(true);
      expect(text, bad[at]?.name).toMatch(/[a-z].*[.?:\])]\s*$/);
      expect(text).not.toMatch(/\bat \w+ \(|ERR_|undefined/);
    }
    expect(textIn(cwd, "README.md")).toBe(FILES["README.md"]);
  });
});

function textIn(folder: string, name: string): string {
  return readFileSync(join(folder, name), "utf8");
}

function summariesOf(ended: Ended): string[] {
  const { results } = ended.json() as { results: { summary: string }[] };
  return results.map(({ summary }) => summary);
}

function resultsIn(request: RecordedRequest | undefined): { isError: boolean; text: string }[] {
  const blocks = (request?.body.messages ?? []).flatMap(({ content }) =>
    typeof content === "string" ? [] : content,
  );
  return blocks
    .filter(({ type }) => type === "tool_result")
    .map(({ content, is_error }) => ({
      isError: is_error === true,
      text: typeof content === "string" ? content : JSON.stringify(content),
    }));
}
