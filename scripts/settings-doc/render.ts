import { limitsOf } from "../../src/settings/limits.ts";
import { settings } from "../../src/settings/schema.ts";
import { type Setting, settingName } from "../../src/settings/setting.ts";

/** `docs/settings.md`: every setting with its check, its default and what it takes to count. */
export function renderSettingsDoc(): string {
  return `${[
    "# Settings",
    "Written by `npm run docs` from `src/settings/schema.ts`; a change here is lost.",
    `Settings are JSON, with comments where you like, in four files; the later ones win:

| Scope | File | Whose |
|---|---|---|
| enterprise | \`/etc/claude-code/managed-settings.json\`, on macOS \`/Library/Application Support/ClaudeCode/managed-settings.json\` | the organisation's |
| user | \`~/.claude/settings.json\` | yours, for every folder |
| project | \`.claude/settings.json\` | the folder's, shared |
| local | \`.claude/settings.local.json\` | yours, for this folder |`,
    `- \`CLAUDE_CONFIG_DIR\` names another directory in place of \`~/.claude\`: your settings, agents, skills, commands, rules and memory are
  read there, and your MCP servers in its \`.claude.json\`.
- Of a setting with one value the last file's counts. Lists and hooks of all files count together; entries of
  an object (\`env\`, \`mcpServers\`) are settings of their own.
- What the enterprise denies, its hooks, and the mode it sets stay, whatever another file says.
- The project's and the local file can always deny and ask. What else they say is left out until you trust the
  folder: in a conversation you are asked; elsewhere \`--trust\` does it for one run, and \`troupe.trustedFolders\`
  in your own settings for good. What you agreed to is remembered in \`~/.troupe/trusted.json\`; when the settings
  grant something new, you are asked again. What they run (a script, a server) can change without that.
- A value that cannot be used is named with its line and left out. A file that is not valid JSON counts only with
  what it denies or asks, and no file then starts a session in a wider mode than \`default\`.
- An unknown key is kept and named. Keys that other tools know and that mean nothing here are "not used here". Keys that would restrict what
  Troupe cannot restrict, such as \`allowedMcpServers\`, are named at each start. With \`forceLoginOrgUUID\` or \`forceLoginMethod\` in your organisation's file, nothing is
  sent with a key.
  Keys of \`sandbox\` that would widen it (\`excludedCommands\`, \`filesystem.allowWrite\`, \`network.allow…\`) do not count.
- Changes are picked up while a session runs.
- \`troupe config get|set|unset|list\` shows and edits them, and so does \`/config\` in a conversation; comments and other keys
  stay.`,
    [
      "| Setting | Type | Default | From the folder's own files | |",
      "|---|---|---|---|---|",
      ...settings.map(row),
    ].join("\n"),
    VARIABLES,
  ].join("\n\n")}\n`;
}

const VARIABLES = `## Environment variables

Each of these variables, most of which are Claude Code's, stands for a setting. A flag wins over the variable, and the variable over the setting. In \`env\` of settings they
count, too, and win over those that Troupe was started with.

| Variable | Setting | What differs from the setting |
|---|---|---|
| \`ANTHROPIC_MODEL\` | \`model\` | The flag is \`--model\`. |
| \`ANTHROPIC_DEFAULT_OPUS_MODEL\`, \`…_SONNET_MODEL\`, \`…_HAIKU_MODEL\`, \`…_FABLE_MODEL\` | \`troupe.aliases\` | |
| \`ANTHROPIC_SMALL_FAST_MODEL\` | \`troupe.smallModel\` | |
| \`CLAUDE_CODE_SUBAGENT_MODEL\` | \`*\` of \`troupe.agentModels\` | Agent types that the setting names keep their model. |
| \`CLAUDE_CODE_AGENT_LIST_IN_MESSAGES\` | \`troupe.agentListing\` | \`1\` is \`attached\`, \`0\` is \`inline\`. |
| \`CLAUDE_CODE_EFFORT_LEVEL\` | \`effortLevel\` | The flag is \`--effort\`; in Claude Code the variable wins over it. \`auto\` leaves the effort to the server. |
| \`MAX_THINKING_TOKENS\` | \`troupe.thinkingTokens\` | |
| \`CLAUDE_CODE_MAX_OUTPUT_TOKENS\` | \`troupe.maxTokens\` | |
| \`API_TIMEOUT_MS\` | \`troupe.idleMs\` | It limits the wait for the next part of a reply, not the whole reply. |
| \`BASH_DEFAULT_TIMEOUT_MS\` | \`troupe.commandMs\` | |
| \`BASH_MAX_TIMEOUT_MS\` | \`troupe.maxCommandMs\` | |
| \`DISABLE_AUTO_COMPACT\` | \`troupe.autoCompact\` | \`1\` is \`false\`; \`0\` leaves the setting. |
| \`TROUPE_MAX_AGENTS\` | \`troupe.maxAgents\` | |

A value from \`CLAUDE_CODE_EFFORT_LEVEL\` to \`DISABLE_AUTO_COMPACT\` that cannot be used is named, and the setting counts. A number above the
setting's range is the largest, and Troupe says so. With a wrong \`TROUPE_MAX_AGENTS\` nothing starts.

\`CLAUDE_CODE_USE_BEDROCK\`, \`CLAUDE_CODE_USE_VERTEX\` and \`CLAUDE_CODE_USE_FOUNDRY\` choose nothing here: Troupe says so, and asks as if they were not
set. Set \`ANTHROPIC_BASE_URL\` to a gateway to that provider ([models](models.md)).`;

function row(setting: Setting<unknown>): string {
  const cells = [
    `\`${settingName(setting)}\``,
    setting.what,
    fallbackOf(setting),
    condition(setting),
    setting.summary,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function condition({ trust, width }: Setting<unknown>): string {
  switch (trust) {
    case "always":
      return "always";
    case "trusted":
      return width ? "after trust; a stricter one always" : "after trust";
    case "stricter":
      return "if stricter";
    case "proposes":
      return "as a proposal";
    case "never":
    case "managed":
      return "never";
    default:
      return trust satisfies never;
  }
}

/** Of limits the runtime knows the default. */
function fallbackOf(setting: Setting<unknown>): string {
  const limit = Object.entries(limitsOf()).find(([name]) => settingName(setting) === `troupe.${name}`);
  return limit ? String(limit[1]) : setting.fallback;
}
