// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such is what skills are written in
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const header = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join("");
const file = (fields: Readonly<Record<string, string>>, body: string) =>
  `---\n${header(fields)}---\n${body}\n`;
const skill = (name: string, fields: Readonly<Record<string, string>>, body: string) =>
  [`.claude/skills/${name}/SKILL.md`, file(fields, body)] as const;
const command = (name: string, body: string, fields?: Readonly<Record<string, string>>) =>
  [`.claude/commands/${name}.md`, fields === undefined ? `${body}\n` : file(fields, body)] as const;
const agent = (name: string, fields: Readonly<Record<string, string>>, more = "") =>
  [
    `.claude/agents/${name}.md`,
    `---\nname: ${name.split("/").at(-1)}\n${header(fields)}${more}---\nYou are ${name}.\n`,
  ] as const;

/** A directory of definitions with the shapes of public collections; every text is of our own making. */
export const definitions: Readonly<Record<string, string>> = Object.fromEntries([
  // Skills: names.
  skill("tide-tables", { name: "tide-tables", description: "Reads tide tables." }, "Read the table."),
  skill("multimodal-bells", { name: "bell-ringing", description: "Rings bells." }, "Ring $0 times."),
  skill("first-kite", { name: "kite", description: "Flies the first kite." }, "First."),
  skill("second-kite", { name: "kite", description: "Flies the second kite." }, "Second."),
  skill("titled", { name: "Harbour Logs", description: "Writes logs." }, "Log it."),
  skill("nameless", { description: "Has no name of its own." }, "Nameless."),
  skill(
    "plain-text",
    { license: "MIT", author: "x", version: "1.0.0", tags: "[a, b]" },
    "# A title\n\nText.",
  ),
  skill("quiet", { description: "For users.", "disable-model-invocation": "true" }, "Quiet."),
  skill("inner", { description: "For models.", "user-invocable": "false" }, "Inner."),
  skill("colon", { description: "Use when: the sea is high, or low" }, "Colon."),
  [
    ".claude/skills/windows/SKILL.md",
    "\uFEFF---\r\nname: windows\r\ndescription: Has other line ends.\r\n---\r\nOne.\r\nTwo.\r\n",
  ],
  // Skills: text.
  skill(
    "prices",
    { description: "Knows prices." },
    "| Plan | Price |\n|---|---|\n| Small | $5.00 |\n| Large | $0.50 |",
  ),
  skill("monthly", { description: "Knows plans." }, "It costs $5 a month, or $9k, or $2-$4."),
  skill("awk", { description: "Sums columns." }, "```sh\nawk '{print $1}' log | sort\n```"),
  skill("inline-awk", { description: "Sums columns inline." }, "Use `awk '{print $0}'` on it."),
  skill("shell", { description: "Has a script." }, '```bash\ncp "$1" "$2"\necho "$HOME ${PATH} $@ $#"\n```'),
  skill("latex", { description: "Sets tables." }, "Europe & \\$12.1B & 26\\% \\\\"),
  skill("formula", { description: "Has a formula." }, "Let $1 + x$ be even."),
  skill("makefile", { description: "Builds." }, "```make\nall: a.o\n\tcc -o $@ $^ $<\n```"),
  skill("jq", { description: "Filters JSON." }, "jq --arg x y '.[] | select(.a == $x)'"),
  skill("php", { description: "Greets." }, "<?php echo $name . $_GET['x']; ?>"),
  skill("regex", { description: "Replaces." }, "Replace `(a+)` by `<$1>`."),
  skill(
    "files",
    { description: "Names its directory." },
    "See ${CLAUDE_SKILL_DIR}/table.txt and ${UNKNOWN}.",
  ),
  skill("fallback", { description: "Takes no argument." }, "Do what is asked."),
  skill(
    "forked",
    { description: "Works alone.", context: "fork", agent: "tide-reader", model: "haiku" },
    "Dig $ARGUMENTS.",
  ),
  skill("rules", { description: "May read.", "allowed-tools": "Read, Bash(git log:*)" }, "Look."),
  // Skills: flags, rules and placeholders.
  skill("flag-words", { description: "For users.", "disable-model-invocation": "Yes" }, "Flag."),
  skill("flag-numbers", { description: "For models.", "user-invocable": "0" }, "Flag."),
  skill("spaced", { description: "May add.", "allowed-tools": "Read Bash(git add *) Grep" }, "Add."),
  skill(
    "own-script",
    { description: "Runs.", "allowed-tools": "Bash(${CLAUDE_SKILL_DIR}/run.sh *)" },
    "Run.",
  ),
  skill("narrow", { description: "Looks only.", "disallowed-tools": "Bash, WebFetch" }, "Look."),
  skill("named-list", { description: "Fixes.", arguments: "[issue, branch]" }, "Do $issue on $branch."),
  skill("double-escape", { description: "Costs." }, "Costs \\\\$1."),
  skill("other-escape", { description: "Keeps." }, "Keep \\$HOME."),
  skill("block", { description: "Has a block." }, "Before\n```!\ngit status\n```\nafter."),
  skill("around", { description: "Knows where." }, "In ${CLAUDE_PROJECT_DIR}, session ${CLAUDE_SESSION_ID}."),
  skill("effort-of", { description: "Knows how hard." }, "Effort ${CLAUDE_EFFORT}."),
  // Commands.
  command("ship", "Ship $ARGUMENTS now."),
  command("both", "From $0 to $1."),
  command("second", "The second is $1."),
  command("listed", "The first is $ARGUMENTS[0], the third $ARGUMENTS[2]."),
  command("git/tag", "Tag $0.", { "argument-hint": "[tag]", description: "Tags a release." }),
  command("git/deep/note", "Note."),
  command("named", "Fix $issue on $branch.", { arguments: "issue branch" }),
  command("fenced-all", "```sh\ngh pr view $ARGUMENTS\n```"),
  command("code-span", "Run `gh pr view $0`.", { "argument-hint": "[number]" }),
  command("escaped", "Costs \\$1, for $0 and $1."),
  command("escaped-alone", "Costs \\$5.00."),
  command("fenced-position", "```sh\ngh pr view $0\n```"),
  command("status", "Status: !`git status --short`."),
  command("empty-hint", "Just so.", { "argument-hint": "" }),
  // Agents.
  agent("tide-reader", { description: "Reads tides.", tools: "Read, Grep", model: "haiku" }),
  agent("bell-ringer", { description: "Rings.", model: "opus", color: "red", category: "music" }),
  agent("mender", { description: "Mends nets.", tools: "Read, MultiEdit, LS", model: "inherit" }),
  agent("any", { description: "Does anything." }),
  agent("limited", { description: "Reads logs.", tools: "Bash(git log:*), Read" }),
  agent("all-tools", { description: "Has all.", tools: '"*"' }),
  agent("other-editor", { description: "Edits.", tools: "['edit/editFiles', 'codebase', 'runCommands']" }),
  agent("planner", { description: "Plans.", permissionMode: "plan", disallowedTools: "Write, Edit" }),
  agent("full-id", { description: "Thinks.", model: "claude-opus-4-1-20250805" }),
  agent("prose-model", { description: "Guesses.", model: "a great model" }),
  agent("harbour/pilot", { description: "Guides: ships, boats" }),
  agent("starter", { description: "Starts agents.", tools: "Task, Read" }),
  agent("server-user", { description: "Asks a server.", tools: "mcp__harbour__tides" }),
  agent("listed-tools", { description: "Lists." }, "tools:\n  - Read\n  - Glob\n"),
  agent(
    "worker",
    { description: "Works.", permissionMode: "manual", maxTurns: "5", skills: "tide-tables", color: "cyan" },
    "isolation: worktree\nbackground: true\neffort: high\n",
  ),
  // Memory and rules.
  ["CLAUDE.md", "Top of the project.\nSee @docs/style.md and `@not/this.md`.\n```\n@not/that.md\n```\n"],
  ["not/this.md", "Not this.\n"],
  ["not/that.md", "Not that.\n"],
  [".claude/CLAUDE.md", "In its own directory.\n"],
  [".claude/rules/deep/one.md", "Deep.\n"],
  [".claude/rules/brace.md", '---\npaths:\n  - "lib/**"\n  - "{api,web}/**/*.{ts,tsx}"\n---\nBraces.\n'],
  [".claude/rules/elsewhere.md", "---\npaths: web/**\n---\nElsewhere.\n"],
  ["AGENTS.md", "For other programs.\n"],
  ["docs/style.md", "The style.\nMore in @more.md\n"],
  ["docs/more.md", "And more.\n"],
  ["CLAUDE.local.md", "Mine alone.\n"],
  [".claude/rules/always.md", "Always so.\n"],
  [".claude/rules/api.md", "---\npaths: api/**/*.ts\n---\nIn the api so, see @../../docs/api.md\n"],
  ["docs/api.md", "About the api.\n"],
  // A plug-in.
  ["plug/.claude-plugin/plugin.json", '{ "name": "harbour", "commands": ["./more/dock.md"] }\n'],
  ["plug/commands/ship.md", "Ship of the harbour.\n"],
  ["plug/more/dock.md", "Dock.\n"],
  ["plug/skills/cranes/SKILL.md", file({ name: "cranes", description: "Moves cranes." }, "Move.")],
  ["plug/skills/lighthouse/SKILL.md", file({ name: "lamp", description: "Lights." }, "Light.")],
  ["plug/agents/deep/keeper.md", file({ name: "keeper", description: "Keeps." }, "You keep.")],
  ["solo/.claude-plugin/plugin.json", '{ "name": "solo" }\n'],
  ["solo/SKILL.md", file({ name: "buoy", description: "Floats." }, "Float.")],
  ["plug/agents/pilot.md", file({ name: "pilot", description: "Pilots." }, "You pilot.")],
]);

export function writeDefinitions(top: string): void {
  for (const [path, text] of Object.entries(definitions)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  }
  mkdirSync(join(top, ".git"), { recursive: true });
}
