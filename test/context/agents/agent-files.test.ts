import { describe, expect, test } from "vitest";
import { agentsInFlag } from "../../../src/context/agents/from-fields.ts";
import { agentsIn, loaded, places, simple } from "./agent-files.ts";

/** One file in a project, as it is loaded. */
async function oneOf(text: string | Uint8Array, name = "some-agent.md") {
  const here = places();
  agentsIn(here.project, { [name]: text });
  const { agents, problems } = await loaded(here);
  return { agent: agents[0], problems: problems.map(({ line, message }) => `${line ?? "-"}: ${message}`) };
}

describe("agent files of the kinds that people have are read as they are meant", () => {
  test("all that a definition can say", async () => {
    const { agent, problems } = await oneOf(`---
name: migration-expert
description: Plans and writes database migrations. Use proactively for schema changes.
tools: Read, Grep, Glob, Bash, mcp__postgres, Agent(explore, plan)
disallowedTools: [NotebookEdit]
model: opus
permissionMode: plan
maxTurns: 25
skills:
  - sql-style
  - review
mcpServers:
  - github
  - postgres:
      command: pg-mcp
      args: ["--read-only"]
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: ./check.sh
isolation: worktree
merge: commit
background: true
memory: false
color: purple
aliases: migrator
budget:
  usd: 1.5
  minutes: 10
output_schema:
  type: object
  required: [files]
  properties:
    files: { type: array, items: { type: string } }
---

You write migrations.

## How
1. Look.
`);
    expect(problems).toEqual([]);
    expect(agent).toMatchObject({
      name: "migration-expert",
      aliases: ["migrator"],
      whenToUse: "Plans and writes database migrations. Use proactively for schema changes.",
      prompt: "You write migrations.\n\n## How\n1. Look.",
      tools: ["Read", "Grep", "Glob", "Bash", "mcp__postgres", "Agent"],
      mayStart: ["explore", "plan"],
      disallowedTools: ["NotebookEdit"],
      model: "opus",
      permissionMode: "plan",
      maxTurns: 25,
      skills: ["sql-style", "review"],
      mcpServers: { named: ["github"], own: { postgres: { command: "pg-mcp", args: ["--read-only"] } } },
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "./check.sh" }] }] },
      isolation: "worktree",
      merge: "commit",
      background: true,
      memory: false,
      budget: { usd: 1.5, ms: 600_000 },
      outputSchema: { type: "object", required: ["files"] },
    });
  });

  test.each([
    ["no tools: all of them", "", { tools: "all" }],
    ["an empty key says nothing", "tools:\nmodel:\n", { tools: "all" }],
    ["all tools by a star", 'tools: "*"\n', { tools: "all" }],
    ["all tools by words", "tools: All tools\n", { tools: "all" }],
    ["no tool at all", "tools: []\n", { tools: [] }],
    ["tools with spaces", "tools: Read Grep\n", { tools: ["Read", "Grep"] }],
    ["tools in a list", "tools:\n  - Read\n  - Grep\n", { tools: ["Read", "Grep"] }],
    ["tools in brackets", 'tools: ["Read", "Grep"]\n', { tools: ["Read", "Grep"] }],
    ["tools with quotes in a line", "tools: `Read`, 'Grep'\n", { tools: ["Read", "Grep"] }],
    ["tools twice", "tools: Read, Read\n", { tools: ["Read"] }],
    [
      "servers' tools",
      "tools: mcp__github__search, mcp__jira__*\n",
      { tools: ["mcp__github__search", "mcp__jira__*"] },
    ],
    [
      "agents it may start, by the older name",
      "tools: Task(a), Read\n",
      { tools: ["Task", "Read"], mayStart: ["a"] },
    ],
    ["any agent", "tools: Agent(*), Agent\n", { tools: ["Agent"] }],
    ["everything forbidden", "disallowedTools: '*'\n", { tools: [] }],
    [
      "other spellings of keys",
      "disallowed-tools: Bash\nmax_turns: 3\noutputSchema: {type: string}\n",
      { disallowedTools: ["Bash"], maxTurns: 3, outputSchema: { type: "string" } },
    ],
    ["words as numbers", "maxTurns: '7'\nbackground: yes\n", { maxTurns: 7, background: true }],
    ["a full model id", "model: claude-sonnet-4-5-20250929\n", { model: "claude-sonnet-4-5-20250929" }],
    [
      "a name of servers in a line",
      "mcpServers: github, jira\n",
      { mcpServers: { named: ["github", "jira"], own: {} } },
    ],
    [
      "servers by name",
      "mcpServers:\n  db: {command: x}\n",
      { mcpServers: { named: [], own: { db: { command: "x" } } } },
    ],
    [
      "a schema as JSON in a string",
      `output_schema: '{"type":"number"}'\n`,
      { outputSchema: { type: "number" } },
    ],
    ["bypass by its short name", "permissionMode: bypass\n", { permissionMode: "bypassPermissions" }],
    ["keys of others", "color: red\nversion: 1.0\ntags: [a, b]\nauthor: somebody\n", { tools: "all" }],
  ])("%s", async (_, header, expected) => {
    const { agent, problems } = await oneOf(simple("a", header));
    expect(problems).toEqual([]);
    expect(agent).toMatchObject(expected);
  });

  test("inherit is the session's model", async () => {
    for (const word of ["inherit", "Inherit", "default", "''"])
      expect((await oneOf(simple("a", `model: ${word}\n`))).agent).not.toHaveProperty("model");
  });

  test("a description with examples, as generators write them", async () => {
    const { agent, problems } = await oneOf(
      '---\nname: code-quality\ndescription: Use this agent when you need a review. Examples: <example>Context: A function was written.\\nuser: "Write isPrime"\\nassistant: "Here: "\\n<commentary>Now review: yes</commentary></example>\nmodel: sonnet\ncolor: pink\n---\nYou review.',
    );
    expect(problems).toEqual([]);
    expect(agent?.whenToUse).toBe(
      'Use this agent when you need a review. Examples: <example>Context: A function was written. user: "Write isPrime" assistant: "Here: " <commentary>Now review: yes</commentary></example>',
    );
    expect(agent?.model).toBe("sonnet");
  });

  test("a description is one line of bounded length", async () => {
    const { agent } = await oneOf(`---\ndescription: |\n  One.\n\n  Two ${"x".repeat(3_000)}.\n---\nP`);
    expect(agent?.whenToUse).toHaveLength(1_000);
    expect(agent?.whenToUse).toMatch(/^One\. Two x+…$/);
  });

  test("reports a misspelt key with its line and the nearest one, and reads the rest", async () => {
    const { agent, problems } = await oneOf(
      "---\nname: a\ndesciption: x\ntool: Read\nmodel: opus\ncolor: red\nallowed_tools: y\n---\nDo it.",
    );
    expect(agent).toMatchObject({ name: "a", model: "opus", tools: "all", prompt: "Do it." });
    expect(problems).toEqual([
      "3: desciption is not a key of an agent, so it does not count; the nearest is description.",
      "4: tool is not a key of an agent, so it does not count; the nearest is tools. The agent may do more than was meant.",
      "7: allowed_tools is not a key of an agent, so it does not count; the nearest is tools. The agent may do more than was meant.",
    ]);
    const { problems: flagged } = agentsInFlag({ a: { descriptoin: "x", prompt: "p" } });
    expect(flagged.map(({ message }) => message)).toEqual([
      "--agents, a: descriptoin is not a key of an agent, so it does not count; the nearest is description.",
    ]);
  });

  test("reports a hook of an unknown event and drops it; the others are kept", async () => {
    const { agent, problems } = await oneOf(
      simple("a", "hooks:\n  PreTooluse:\n    - hooks: []\n  _note: x\n  Stop:\n    - hooks: []\n"),
    );
    expect(agent?.hooks).toEqual({ Stop: [{ hooks: [] }] });
    expect(problems).toEqual([
      "4: hooks may not have PreTooluse, which is no event; the nearest is PreToolUse.",
    ]);
  });

  test("without a name it has the file's; without a description it says so and works", async () => {
    const { agent, problems } = await oneOf("---\nmodel: haiku\n---\nDo it.", "deep/in/My Helper.md");
    expect(agent).toMatchObject({ name: "My Helper", whenToUse: "The agent My Helper.", model: "haiku" });
    expect(problems).toEqual([
      "1: There is no description, by which a model could choose it; say in one when to use this agent.",
    ]);
  });

  test.each([
    ["a byte order mark", Buffer.from(`\uFEFF${simple("a")}`)],
    ["line ends of Windows", Buffer.from(simple("a").replaceAll("\n", "\r\n"))],
    ["no line end at its end", Buffer.from(simple("a").trim())],
  ])("%s does not matter", async (_, bytes) => {
    expect(await oneOf(bytes)).toMatchObject({ agent: { name: "a", prompt: "You are a." }, problems: [] });
  });
});

describe("what is wrong is named by its line, and the rest counts", () => {
  test.each([
    [
      "model: [a]\n",
      "4: model must be one of opus, sonnet, haiku, fable or inherit, or a full id; it does not count.",
    ],
    [
      "model: gpt 4\n",
      "4: model must be one of opus, sonnet, haiku, fable or inherit, or a full id; it does not count.",
    ],
    ["maxTurns: many\n", "4: maxTurns must be a whole number from 1 to 100000; it does not count."],
    ["maxTurns: 0\n", "4: maxTurns must be a whole number from 1 to 100000; it does not count."],
    [
      "initialPrompt: Begin.\n",
      "4: initialPrompt does not count here; give the agent its first task with -p or in the prompt.",
    ],
    [
      "permission:\n  edit: deny\n",
      "4: permission does not count here; say in disallowedTools what the agent may not use.",
    ],
    [
      "permissionMode: root\n",
      "4: permissionMode must be one of default, acceptEdits, plan, dontAsk and bypassPermissions; it does not count.",
    ],
    [
      "permissionMode: toString\n",
      "4: permissionMode must be one of default, acceptEdits, plan, dontAsk and bypassPermissions; it does not count.",
    ],
    ["merge: rebase\n", "4: merge must be one of apply, commit, keep, ask; it does not count."],
    ["background: maybe\n", "4: background must be true or false; it does not count."],
    [
      "budget: 5\n",
      "4: budget must be any of tokens, usd, turns and minutes, which are numbers; it does not count.",
    ],
    ["hooks: none\n", "4: hooks must be keys with values; it does not count."],
    [
      "mcpServers: {db: x}\n",
      "4: mcpServers must be names of servers, or servers by name as in .mcp.json; it does not count.",
    ],
    [
      "output_schema: a string\n",
      "4: output_schema must be a JSON Schema: keys with values, such as type: object; it does not count.",
    ],
    [
      "output_schema: {name: string}\n",
      "4: output_schema has no keyword of JSON Schema: name; it does not count.",
    ],
    [
      "output_schema: {type: object, properties: {n: {type: int}}}\n",
      "4: output_schema is no JSON Schema: /properties/n/type must be one of string, number, integer, boolean, object, array and null, or a list of them; it does not count.",
    ],
    [
      "tools: Bash(git log:*), Read\n",
      "4: tools names Bash(git log:*): the whole tool counts here, because only permission rules can tell calls apart.",
    ],
    [
      "memory: user\n",
      "4: memory names a directory for notes of its own, which does not exist here yet; memory files are read.",
    ],
    ["hooks: [unclosed\n", expect.stringMatching(/^\d: This is not YAML: /)],
  ])("%s", async (header, problem) => {
    const { agent, problems } = await oneOf(simple("a", header));
    expect(agent).toMatchObject({ name: "a", prompt: "You are a." });
    expect(problems).toEqual([problem]);
  });

  test.each([
    [
      "no front matter",
      "# My agent\n\nHello",
      "1: The file does not begin with front matter, so it defines no agent; begin it with a name and a description between two lines of ---.",
    ],
    [
      "an empty file",
      "",
      "1: The file does not begin with front matter, so it defines no agent; begin it with a name and a description between two lines of ---.",
    ],
    [
      "no end",
      "---\nname: a\n\nHello",
      "1: The front matter that begins here has no end; close it with a line of ---.",
    ],
    [
      "no prompt",
      "---\nname: a\ndescription: b\n---\n\n",
      "5: There is no prompt; write below the front matter what it does.",
    ],
    [
      "a name without end",
      `---\nname: ${"x".repeat(99)}\n---\nP`,
      "2: The name of an agent has 1 to 64 characters.",
    ],
    [
      "a name that is taken",
      "---\nname: Fork\n---\nP",
      "2: Fork means something else wherever an agent is named; choose another name.",
    ],
    ["a name that is a list", "---\nname: [a]\nmodel: b\n---\n", "2: name must be text; it does not count."],
    [
      "another encoding",
      Buffer.from("\uFEFF---\nname: a\n---\nP", "utf16le"),
      "-: is not UTF-8 text but UTF-16.",
    ],
    ["bytes", Buffer.from([0, 1, 2, 3]), "-: is not UTF-8 text."],
    [
      "too much",
      Buffer.alloc(300_000, "x"),
      "-: has 300000 bytes, more than 262144; move what is long into files next to it.",
    ],
  ])("%s", async (_, text, problem) => {
    expect((await oneOf(text)).problems).toContainEqual(problem);
  });

  test.each([
    ["tools: {write: false}", "4: tools must be names, as a list or with commas between them"],
    [
      "disallowed-tools: {Bash: yes}",
      "4: disallowed-tools must be names, as a list or with commas between them",
    ],
    ["isolation: remote", "4: isolation must be worktree"],
    [
      "runner: ..",
      '4: runner must be the name of a pool: up to 128 letters, digits, "-", "_", "." and "@", a letter or digit first',
    ],
  ])(
    "an agent that a file means to hold back is not used where that cannot be read: %s",
    async (line, why) => {
      const { agent, problems } = await oneOf(`---\nname: a\ndescription: b\n${line}\n---\nP`);
      expect(agent).toBeUndefined();
      expect(problems).toEqual([
        `${why}; without it the agent could do more than was meant, so it is not used.`,
      ]);
    },
  );

  test("nor where the front matter around it is broken", async () => {
    const { agent, problems } = await oneOf(
      "---\nname: a\ndescription: b: c\ntools:\n  - Read\n  - {x: [\n---\nP",
    );
    expect(agent).toBeUndefined();
    expect(problems.at(-1)).toMatch(/^\d+: tools cannot be read; without it the agent could do more/);
  });

  test("an old encoding loses some characters and says so", async () => {
    const { agent, problems } = await oneOf(Buffer.from(simple("a", "", "Prüfe."), "latin1"));
    expect(agent?.prompt).toBe("Pr\uFFFDfe.");
    expect(problems).toEqual([
      "6: has characters here that cannot be read (\uFFFD); correct them and save the file as UTF-8.",
    ]);
  });

  test("notes beside agents are no mistake", async () => {
    expect(await oneOf("# About these agents", "README.md")).toEqual({ agent: undefined, problems: [] });
  });

  test("the control characters of a terminal do not get into names and descriptions", async () => {
    const { agent } = await oneOf('---\nname: "a\\e[31mb"\ndescription: "x\\u0007\\u202Ey"\n---\nP');
    expect(agent).toMatchObject({ name: "a [31mb", whenToUse: "x y" });
  });
});
