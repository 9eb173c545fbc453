import {
  fails,
  loads,
  movedBy,
  type Outcome,
  seeded,
  TOPICS,
  type Topic,
  type Written,
  wrapped,
} from "./written.ts";

interface Draft {
  readonly text: string | Uint8Array;
  readonly outcome: Outcome;
  /** It is left as it is. */
  readonly bare?: true;
}
type Style = (name: string, topic: Topic) => Draft;

const body = ({ does }: Topic) =>
  `\nYou are asked for one thing. ${does}, and say what you did.\n\n## Steps\n- Look first.\n`;
const agent = (header: string, topic: Topic) => `---\n${header}\n---\n${body(topic)}`;
const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le");

/** A style in which the description stands, and what it must be read as. */
const described =
  (write: (does: string) => readonly [header: string, read: string]): Style =>
  (name, topic) => {
    const [header, whenToUse] = write(topic.does);
    return {
      text: agent(`name: ${name}\n${header}\nmodel: opus`, topic),
      outcome: loads({ name, whenToUse, model: "opus", tools: "all", prompt: body(topic).trim() }),
    };
  };

/** A style in which some other key stands, below a name and a description: its first line is the file's fourth. */
const keyed =
  (header: string, as: object, ...told: readonly (readonly [number, RegExp])[]): Style =>
  (name, topic) => ({
    text: agent(`name: ${name}\ndescription: ${topic.does}.\n${header}`, topic),
    outcome: loads({ name, whenToUse: `${topic.does}.`, ...as }, ...told),
  });

const broken =
  (write: (name: string, topic: Topic) => string | Uint8Array, line: number | null, says: RegExp): Style =>
  (name, topic) => ({ text: write(name, topic), outcome: fails(line, says) });

const DESCRIPTIONS: readonly Style[] = [
  described((does) => [`description: ${does}.`, `${does}.`]),
  described((does) => [
    `description: Use this when: needed. ${does}: always`,
    `Use this when: needed. ${does}: always`,
  ]),
  described((does) => [
    `description: "${does}.\\n\\nSay \\"please\\": it helps"`,
    `${does}. Say "please": it helps`,
  ]),
  described((does) => [`description: '${does}, it''s said: so'`, `${does}, it's said: so`]),
  described((does) => [`description: "Use "${does}" at once"`, `Use "${does}" at once`]),
  described((does) => [
    `description: ${does}. Examples:\\n\\n<example>\\nContext: It rains.\\nuser: "Go"\\nassistant: "I go"\\n</example>`,
    `${does}. Examples: <example> Context: It rains. user: "Go" assistant: "I go" </example>`,
  ]),
  described((does) => [
    `description: ${does}. Examples:\\n<example>\\nContext: It snows\nuser: "Is it late?"\nassistant: "I look: now"\n<commentary>\nLate: yes.\n</commentary>\n</example>\\n<example>\\nContext: It thaws\nuser: "And now?"\nassistant: "No"\n</example>\ncolor: teal`,
    `${does}. Examples: <example> Context: It snows user: "Is it late?" assistant: "I look: now" <commentary> Late: yes. </commentary> </example> <example> Context: It thaws user: "And now?" assistant: "No" </example>`,
  ]),
  described((does) => [
    `description: ${does}. Cases:\\n<example>\\nuser: "One"\\n\nuser: "Two: 2"\\nassistant: "Three"\nuser: "Four"\ncolor: red`,
    `${does}. Cases: <example> user: "One" user: "Two: 2" assistant: "Three" user: "Four"`,
  ]),
  described((does) => [`description: >\n  ${does},\n  and no more.\n`, `${does}, and no more.`]),
  described((does) => [
    `description: |\n  ${does}: so it is.\n\n  - And a list`,
    `${does}: so it is. - And a list`,
  ]),
  described((does) => [`description: >-\n  ${does}\n\n  # not a remark`, `${does} # not a remark`]),
  described((does) => [`description: > ${does}: now`, `${does}: now`]),
  described((does) => [`description: **FIRST OF ALL**: ${does}.`, `**FIRST OF ALL**: ${does}.`]),
  described((does) => [`description: [Draft] ${does}: soon`, `[Draft] ${does}: soon`]),
  described((does) => [`description: @team \`now\`: ${does}`, `@team \`now\`: ${does}`]),
  described((does) => [`description:\t${does}: by\ttabs`, `${does}: by tabs`]),
  described((does) => [`description: ${does}\n  and this: too`, `${does} and this: too`]),
  described((does) => [`description: 🐝 ${does} — überall, 処理する`, `🐝 ${does} — überall, 処理する`]),
  described((does) => [`# first\ndescription: ${does} # a remark\n\n# last`, does]),
  described((does) => [`"description": ${does}.`, `${does}.`]),
  described((does) => [`Description: ${does}.`, `${does}.`]),
  described((does) => [`whenToUse: ${does}.`, `${does}.`]),
  described((does) => [
    `description: ${does} ${"x".repeat(2_000)}`,
    `${does} ${"x".repeat(998 - does.length)}…`,
  ]),
];

const KEYS: readonly Style[] = [
  keyed("tools: Read, Grep,Glob , Bash", { tools: ["Read", "Grep", "Glob", "Bash"] }),
  keyed("tools:\n  - Read\n  - Write", { tools: ["Read", "Write"] }),
  keyed("tools:\n- Read\n- WebFetch", { tools: ["Read", "WebFetch"] }),
  keyed('tools: ["Read", "Edit"]', { tools: ["Read", "Edit"] }),
  keyed("tools: [Read, Edit]", { tools: ["Read", "Edit"] }),
  keyed("tools: *", { tools: "all" }),
  keyed('tools: "*"', { tools: "all" }),
  keyed("tools: All tools", { tools: "all" }),
  keyed("tools:", { tools: "all" }),
  keyed("tools: []", { tools: [] }),
  keyed("disallowedTools: *", { tools: [] }),
  keyed("tools: Read, Bash(git log:*), Bash(npm run test:*)", { tools: ["Read", "Bash"] }, [
    4,
    /^tools names Bash\(git log:\*\), Bash\(npm run test:\*\): the whole tool counts/,
  ]),
  keyed("tools: LS, Read, MultiEdit, NotebookRead, BashOutput, KillShell", {
    tools: ["LS", "Read", "MultiEdit", "NotebookRead", "BashOutput", "KillShell"],
  }),
  keyed("tools: read, bash, webfetch", { tools: ["read", "bash", "webfetch"] }),
  keyed("tools: read/problems, runCommands, Weather Tool", {
    tools: ["read/problems", "runCommands", "Weather", "Tool"],
  }),
  keyed("tools: mcp__harbour__tides, mcp__harbour, mcp__bees__*", {
    tools: ["mcp__harbour__tides", "mcp__harbour", "mcp__bees__*"],
  }),
  keyed("tools: Agent(explore, plan), Read", { tools: ["Agent", "Read"], mayStart: ["explore", "plan"] }),
  keyed("tools: Task, Skill", { tools: ["Task", "Skill"] }),
  keyed("disallowedTools: bash, Write", { disallowedTools: ["bash", "Write"] }),
  keyed("disallowed-tools:\n  - NotebookEdit", { disallowedTools: ["NotebookEdit"] }),
  keyed("model: inherit", { model: undefined }),
  keyed("model: claude-haiku-4-5-20251001", { model: "claude-haiku-4-5-20251001" }),
  keyed("model: Great Model 4 (preview)", { model: undefined }, [
    4,
    /^model must be one of opus, sonnet, haiku, fable or inherit/,
  ]),
  keyed(
    "color: purple\nemoji: 🚀\nversion: 1.2.0\ntags: [a, b]\nmetadata:\n  team: harbour\n  since: 2024-01-01",
    {},
  ),
  keyed(
    "permissionMode: plan\nmaxTurns: 12\nskills: tide-reading, knots\nmemory: project",
    { permissionMode: "plan", maxTurns: 12, skills: ["tide-reading", "knots"] },
    [7, /^memory names a directory for notes of its own/],
  ),
  keyed("skills:\n  - knots\nisolation: worktree\nbackground: true", {
    skills: ["knots"],
    isolation: "worktree",
    background: true,
  }),
  keyed(
    'hooks:\n  PreToolUse:\n    - matcher: "Bash|Edit"\n      hooks:\n        - type: command\n          command: ./check.sh "$X"',
    {
      hooks: {
        PreToolUse: [{ matcher: "Bash|Edit", hooks: [{ type: "command", command: './check.sh "$X"' }] }],
      },
    },
  ),
  keyed("mcpServers:\n  - harbour\n  - bees:\n      command: bee-server\n      args: [--all]", {
    mcpServers: { named: ["harbour"], own: { bees: { command: "bee-server", args: ["--all"] } } },
  }),
  keyed("maxTurns: many\nmodel: sonnet", { model: "sonnet" }, [4, /^maxTurns must be a whole number from 1/]),
  keyed("permissionMode: yolo", {}, [4, /^permissionMode must be one of default/]),
  keyed("hooks: {Stop: [\nmodel: opus", { model: "opus", hooks: undefined }, [
    4,
    /^This is not YAML: .*hooks does not count/,
  ]),
  keyed("model: opus\nmodel: haiku", { model: "opus" }, [
    5,
    /^model appears a second time; the first one counts\.$/,
  ]),
];

const WHOLES: readonly Style[] = [
  (name, topic) => ({ text: agent(`description: ${topic.does}.`, topic), outcome: loads({ name }) }),
  (name, topic) => ({
    text: agent(`name: 🚀 ${name}\ndescription: ${topic.does}.`, topic),
    outcome: loads({ name: `🚀 ${name}` }),
  }),
  (name, topic) => ({
    text: agent(`name: The ${name} Expert\ndescription: ${topic.does}.`, topic),
    outcome: loads({ name: `The ${name} Expert` }),
  }),
  (name, topic) => ({
    text: agent(`name: 専門家-${name}\ndescription: ${topic.does}.`, topic),
    outcome: loads({ name: `専門家-${name}` }),
  }),
  (name, topic) => ({
    text: agent(`name: ${name}\nmodel: opus`, topic),
    outcome: loads({ name, model: "opus", whenToUse: `The agent ${name}.` }, [
      1,
      /^There is no description.*say in one/,
    ]),
    bare: true,
  }),
  (name, topic) => ({
    text: agent(`{name: ${name}, description: "${topic.does}", model: opus}`, topic),
    outcome: loads({ name, model: "opus" }),
  }),
  (name, topic) => ({
    text: `---\nname: ${name}\ndescription: ${topic.does}.\n...\nGo.\n---\nname: other\n---\n`,
    outcome: loads({ name, prompt: "Go.\n---\nname: other\n---" }),
    bare: true,
  }),
  (name, topic) => ({
    text: agent(`name: ${name}\ndescription: ${topic.does}.`, {
      ...topic,
      does: "Word ".repeat(8_000),
    }),
    outcome: loads({ name }),
  }),
  (name, topic) => ({
    text: Buffer.from(
      agent(`name: ${name}\ndescription: ${topic.does}.`, topic).replace("Look", "L\u00f6ok"),
      "latin1",
    ),
    outcome: loads({ name }, [9, /^has characters here that cannot be read/]),
  }),
  (name, topic) => ({
    text: agent("- one\n- two", topic),
    outcome: loads({ name }, [2, /^The front matter is not a list of keys/], [1, /^There is no description/]),
    bare: true,
  }),
  (_, { does }) => ({
    text: `# ${does}\n\nNo front matter here.\n`,
    outcome: fails(1, /^The file does not begin with front matter.*begin it with/),
    bare: true,
  }),
  broken(
    (name) => `---\nname: ${name}\ndescription: It has no end.\n\nYou are.\n`,
    1,
    /^The front matter that begins here has no end; close it/,
  ),
  broken(
    (name, topic) => agent(`name: ${name}\ndescription: ${topic.does}.\ntools: {Read: yes}`, topic),
    4,
    /^tools must be names, as a list or with commas.*so it is not used/,
  ),
  () => ({ text: "", outcome: fails(1, /^The file does not begin with front matter/), bare: true }),
  broken(
    (name) => `---\nname: ${name}\ndescription: It says nothing.\n---\n\n`,
    5,
    /^There is no prompt; write below/,
  ),
  broken(
    (name, topic) => agent(`description: Long.\nname: ${name.repeat(9)}`, topic),
    3,
    /^The name of an agent has 1 to 64 characters/,
  ),
  broken(
    (_, topic) => agent(`name: main\ndescription: ${topic.does}.`, topic),
    2,
    /^main means something else .*choose another name/,
  ),
  broken((name, topic) => utf16(agent(`name: ${name}`, topic)), null, /^is not UTF-8 text but UTF-16/),
  broken(() => Uint8Array.of(0x89, 0x50, 0, 0, 1), null, /^is not UTF-8 text/),
  broken(
    (name, topic) => agent(`name: ${name}`, { ...topic, does: "y".repeat(300_000) }),
    null,
    /^has \d+ bytes, more than 262144; move what is long/,
  ),
];

/** A collection of agents as public ones are, in words of our own: every style in several topics, some twice. */
export function writtenAgents(seed: number): Written[] {
  const choose = seeded(seed);
  const written: Written[] = [
    { path: "README.md", content: "# These are ours\n", outcome: { type: "notes" } },
    { path: "notes/CHANGELOG.md", content: "- more\n", outcome: { type: "notes" } },
    { path: "script.sh", content: "exit 1\n", outcome: { type: "notes" } },
  ];
  for (const [at, style] of [...DESCRIPTIONS, ...KEYS, ...WHOLES].entries())
    for (let copy = 0; copy < 5; copy++) {
      const topic = TOPICS[(at + copy * 5 + choose(5)) % TOPICS.length] ?? TOPICS[0];
      const name = `${topic.topic}-${at}-${copy}`;
      const { text, outcome, bare } = style(name, topic);
      const folder = ["", "team/", "team/deep er/", "ÄÖ/"][choose(4)] ?? "";
      const path = `${folder}${name}${choose(8) === 0 ? ".MD" : ".md"}`;
      if (typeof text !== "string" || bare) written.push({ path, content: text, outcome });
      else {
        const { text: content, moved } = wrapped(text, choose);
        written.push({ path, content, outcome: movedBy(outcome, moved) });
      }
    }
  return written;
}
