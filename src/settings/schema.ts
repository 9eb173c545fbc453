import * as z from "zod/mini";
import { isObject } from "../lib/json.ts";
import type { Effort } from "../mailbox/model.ts";
import { limitSettings, NOT_IN_PROJECT, ONLY_STRICTER } from "./limit-settings.ts";
import { modes, modeWidth } from "./permissions.ts";
import { pluginSettings } from "./plugin-settings.ts";
import { runnersSettings } from "./runners-settings.ts";
import {
  alias,
  entries,
  inRange,
  isSetting,
  nonBlank,
  number,
  object,
  objects,
  oneOf,
  rootedDirs,
  type Setting,
  setting,
  textSetting,
  texts,
  wholeSetting,
  yesOrNo,
} from "./setting.ts";
import {
  agentLimits,
  DOLLARS,
  isUserOnlyVariable,
  prices,
  statusLineCommand,
  variables,
} from "./value-schemas.ts";
import { worktreeSettings } from "./worktree-settings.ts";

/** Every setting, grouped as the code uses them: its schema, its meaning and its trust. docs/settings.md is made from it. */
export const schema = {
  model: setting(
    "model",
    textSetting("the name of a model"),
    "The model of the main conversation: `opus`, `sonnet`, `haiku`, a full ID, or `offline`. Other names of Claude Code (`opus[1m]`, `opusplan`, `best`, `default`) stand for these.",
    { fallback: "`sonnet`" },
  ),
  availableModels: setting(
    "availableModels",
    texts("names of models"),
    "The only models that can be used: by the conversation, agents, skills and hooks. An entry is an alias, which is its whole family; a full ID; or the beginning of one, such as `claude-opus-4-5` or `opus-4-5`. If several files have a list, a model must be in each; `[]` leaves `sonnet`. An agent type of another model uses the session's.",
    { fallback: "all", trust: "always" },
  ),
  env: setting(
    "env",
    entries("a variable's name (letters, digits, _) with a text, a number, true or false", variables()),
    "Environment variables for Troupe and the commands that it runs; they win over those that it was started with. A project's settings cannot set `PATH`, `HOME`, `SHELL`, `ENV`, `BASH_ENV`, `IS_SANDBOX`, proxies, or what starts with `ANTHROPIC_`, `OPENAI_`, `CLAUDE_`, `TROUPE_`, `NODE_` (except `NODE_ENV`), `LD_` or `DYLD_`.",
    { isUserOnly: isUserOnlyVariable },
  ),
  apiKeyHelper: setting(
    "apiKeyHelper",
    textSetting("a command"),
    "A shell command that prints the key for the model. It runs once per session if no key is set, and has 30 s.",
  ),
  permissions: {
    allow: setting(
      "permissions.allow",
      texts("rules"),
      "Calls that run without a question, such as `Bash(npm test:*)`.",
    ),
    ask: setting("permissions.ask", texts("rules"), "Calls that always ask.", { trust: "always" }),
    deny: setting("permissions.deny", texts("rules"), "Calls that never run, whatever else allows them.", {
      trust: "always",
    }),
    mode: setting(
      "permissions.defaultMode",
      modes(),
      "The mode that a session starts in; `manual` is `default`, and `auto` of Claude Code does not count. No other file widens the organisation's. A project's settings cannot set `bypassPermissions`.",
      {
        fallback: "`default`",
        width: (mode) => modeWidth(mode ?? "default"),
        isUserOnly: (_, value) => value === "bypassPermissions",
      },
    ),
    disableBypass: setting(
      "permissions.disableBypassPermissionsMode",
      oneOf(["disable"]),
      "Switches the mode `bypassPermissions` off.",
      { fallback: "it is on", trust: "always" },
    ),
    managedRulesOnly: setting(
      "allowManagedPermissionRulesOnly",
      yesOrNo(),
      "In your organisation's file: allow rules of other files and `--allowedTools` do not count. What they deny or ask still does.",
      { fallback: "false", trust: "managed" },
    ),
  },
  askEveryCommand: setting(
    "troupe.askEveryCommand",
    yesOrNo(),
    "Whether each Bash command asks, whatever rules, modes, hooks and the sandbox allow; denied commands stay denied. A project's settings can only switch it on.",
    { fallback: "false", trust: "stricter", width: (asks) => (asks === true ? 0 : 1) },
  ),
  additionalDirectories: setting(
    "permissions.additionalDirectories",
    texts("directories"),
    "Directories to work in, in addition to the current one: absolute, from the home (`~/…`), or relative to the current directory.",
  ),
  hooks: setting(
    "hooks",
    { what: "an object", schema: object(), merge: "each" },
    "Commands that run at events of a session, by event. Those of all files run, the organisation's first.",
  ),
  disableHooks: setting(
    "disableAllHooks",
    // All values count: the organisation's is about its own hooks, too.
    { ...yesOrNo(), merge: "each" },
    "Switches hooks off, also those of agent definitions. Your organisation's still run, unless its own file switches them off.",
    { fallback: "false" },
  ),
  managedHooksOnly: setting(
    "allowManagedHooksOnly",
    yesOrNo(),
    "In your organisation's file: only its own hooks run.",
    { fallback: "false", trust: "managed" },
  ),
  mcpServers: setting(
    "mcpServers",
    objects(),
    "MCP servers by name. A server is one value: files do not complete each other's.",
  ),
  languageServers: setting(
    "troupe.languageServers",
    objects(),
    'Language servers by language, each with `command` and `extensionToLanguage` (such as `{".ex": "elixir"}`), and `args`, `env`, `initializationOptions`, `settings` if it needs them; `{"disabled": true}` switches a language off. One for `typescript`, `python`, `go`, `rust` or `cpp` replaces the usual ones.',
  ),
  aliases: { opus: alias("opus"), sonnet: alias("sonnet"), haiku: alias("haiku"), fable: alias("fable") },
  provider: setting(
    "troupe.provider",
    oneOf<"anthropic" | "openai">(["anthropic", "openai"]),
    `Which API is asked: the Messages API (\`ANTHROPIC_BASE_URL\`), or chat completions (\`OPENAI_BASE_URL\`, \`OPENAI_MODEL\`). ${NOT_IN_PROJECT}`,
    {
      fallback: "`openai` if only `OPENAI_BASE_URL` is set; else `anthropic`",
      trust: "never",
    },
  ),
  agentModels: setting(
    "troupe.agentModels",
    entries("an object of models by name", z.record(z.string(), nonBlank())),
    "The model of an agent type: an alias, a full ID, or `inherit` (the session's); `*` is every other type. It wins over the definition's, and a call that names a model wins over it. `CLAUDE_CODE_SUBAGENT_MODEL` is the same as `*`.",
  ),
  smallModel: setting(
    "troupe.smallModel",
    textSetting("the name of a model"),
    "The model for what needs speed more than thought: reading fetched pages, and Explore, unless `troupe.agentModels` names it. `ANTHROPIC_SMALL_FAST_MODEL` wins. Compaction uses the conversation's model, whose cache already has it.",
    { fallback: "the session's model" },
  ),
  effort: setting(
    "effortLevel",
    oneOf<Effort>(["low", "medium", "high", "xhigh", "max"]),
    "How much effort the model puts into its replies; `--effort` and an agent's definition win.",
    { fallback: "the server's" },
  ),
  limits: limitSettings,
  budgets: {
    maxBudgetUsd: setting(
      "troupe.maxBudgetUsd",
      number({ min: 0.001, max: 1_000_000 }),
      "Dollars that a session can spend; before they are spent, its agents write their summaries. No flag exceeds the organisation's.",
      {
        fallback: "no limit",
        trust: "stricter",
        width: (usd) => (typeof usd === "number" ? usd : Number.POSITIVE_INFINITY),
      },
    ),
    prices: setting(
      "troupe.prices",
      entries(
        "an object of models, each an object with input and output (and cacheWrite, cacheRead), in dollars per million tokens",
        prices(),
      ),
      `Prices of models by full ID, in dollars per million tokens: \`input\`, \`output\`, and \`cacheWrite\`, \`cacheRead\` if they differ from \`input\`. ${NOT_IN_PROJECT} None can be cheaper in all than the organisation's.`,
      {
        fallback: "list prices of the models that Troupe knows",
        trust: "never",
        width: (price) =>
          isObject(price) ? -Object.values(price).reduce<number>((sum, one) => sum + Number(one), 0) : 0,
      },
    ),
    quoteAboveUsd: setting(
      "troupe.quoteAboveUsd",
      number(DOLLARS),
      "Dollars that agents started together can be likely to cost without a question (with `-p`, or without a terminal: a line on stderr); 0 is always. The estimate uses what such agents cost before on this machine, or typical turns.",
      { fallback: "1", trust: "stricter", width: (usd) => (typeof usd === "number" ? usd : 1) },
    ),
  },
  agentBudgets: setting(
    "troupe.agentBudgets",
    {
      what: "an object of agent types, each an object with any of tokens, usd, turns and minutes, which are numbers",
      schema: z.record(z.string(), agentLimits()),
      merge: "each",
    },
    "What an agent of a type can use, with all agents below it: any of `tokens`, `usd`, `turns`, `minutes`. It is taken from the budget of the agent that starts it, and what is left returns there. If several files set one, the smallest number counts.",
    { trust: "always" },
  ),
  compaction: {
    auto: setting(
      "troupe.autoCompact",
      yesOrNo(),
      "Whether a conversation that no longer fits into its model's window is compacted automatically; `/compact` always works. `autoCompactEnabled` of Claude Code means the same.",
      { fallback: "true" },
    ),
    at: setting(
      "troupe.compactAt",
      number({ min: 0.1, max: 1 }),
      "The share of a model's window at which a conversation is compacted; earlier if a reply would have no room left.",
      { fallback: "0.9" },
    ),
    windows: setting(
      "troupe.contextWindows",
      entries(
        "an object of models, each a whole number of tokens from 1000 to 100000000",
        z.record(z.string(), inRange({ min: 1_000, max: 100_000_000 }, z.int())),
      ),
      "Tokens of a model's window, by its full ID.",
      { fallback: "those of the models that Troupe knows, else 200000" },
    ),
  },
  fileRules: {
    edit: setting(
      "troupe.fileRules.edit",
      oneOf(["strict", "relaxed"]),
      `Whether Edit refuses a file that has changed since the agent read it (\`strict\`), or edits it if the text to replace still occurs there once. ${ONLY_STRICTER}`,
      { fallback: "`strict`", trust: "stricter", width: (rule) => (rule === "relaxed" ? 1 : 0) },
    ),
    write: setting(
      "troupe.fileRules.write",
      oneOf(["any", "read-first"]),
      `Whether Write can overwrite a file whose current content the agent has not read. Another agent's work is never overwritten unread. ${ONLY_STRICTER}`,
      { fallback: "`any`", trust: "stricter", width: (rule) => (rule === "read-first" ? 0 : 1) },
    ),
  },
  sandbox: {
    mode: setting(
      "troupe.sandbox.mode",
      oneOf(["off", "on", "required"]),
      `Whether commands run in a sandbox; with \`required\` none runs without one. ${ONLY_STRICTER}`,
      {
        fallback: "`off`",
        trust: "stricter",
        width: (mode) => (mode === "required" ? 0 : mode === "off" ? 2 : 1),
      },
    ),
    autoAllow: setting(
      "troupe.sandbox.autoAllow",
      yesOrNo(),
      "Whether a command in the sandbox runs without a question. A project's settings can only switch it off.",
      { fallback: "false", trust: "stricter", width: (allowed) => (allowed === true ? 1 : 0) },
    ),
    allowedDomains: setting(
      "troupe.sandbox.allowedDomains",
      texts("domains"),
      `What commands in the sandbox can reach. ${NOT_IN_PROJECT}`,
      { trust: "never" },
    ),
    deniedDomains: setting(
      "troupe.sandbox.deniedDomains",
      texts("domains"),
      "What commands in the sandbox cannot reach, even if `troupe.sandbox.allowedDomains` has it.",
      { trust: "always" },
    ),
    managedDomainsOnly: setting(
      "troupe.sandbox.managedDomainsOnly",
      yesOrNo(),
      "In your organisation's file: domains that other files allow do not count, in the sandbox and in rules of WebFetch. Those that they deny do.",
      { fallback: "false", trust: "managed" },
    ),
    denyWrite: setting(
      "troupe.sandbox.denyWrite",
      texts("paths and patterns (`~/work/**/*.lock`)"),
      "What commands in the sandbox and file tools cannot write, even in the workspace.",
      { trust: "always" },
    ),
    readOnly: setting(
      "troupe.sandbox.readOnly",
      yesOrNo(),
      `Whether commands that only read, and file commands in \`acceptEdits\`, run in a confinement of their own. ${NOT_IN_PROJECT}`,
      { fallback: "true", trust: "never", width: (confined) => (confined === false ? 1 : 0) },
    ),
    denyRead: setting(
      "troupe.sandbox.denyRead",
      texts("paths and patterns (`~/**/*.pem`)"),
      "What file tools and confined commands cannot read, in the sandbox or in a confinement of their own.",
      { trust: "always" },
    ),
  },
  webSearch: {
    // A project's search server would learn what is searched for.
    provider: setting(
      "troupe.webSearch.provider",
      oneOf(["api", "brave", "tavily", "searxng", "off"]),
      `What searches the web: the model's API itself, Brave (\`BRAVE_API_KEY\`), Tavily (\`TAVILY_API_KEY\`), or a SearXNG instance (\`troupe.webSearch.url\`). Without one, WebSearch is not offered. ${NOT_IN_PROJECT}`,
      {
        fallback: "`searxng` if there is a URL; `api` if the endpoint is Anthropic's own; else none",
        trust: "never",
      },
    ),
    url: setting(
      "troupe.webSearch.url",
      textSetting("a URL"),
      `The address of the SearXNG instance, which must allow the format \`json\`; or of another server that speaks the provider's API. ${NOT_IN_PROJECT}`,
      { trust: "never" },
    ),
  },
  worktree: worktreeSettings,
  runners: runnersSettings,
  statusLine: setting(
    "statusLine",
    statusLineCommand(),
    'A shell command whose output replaces the line below the prompt: `{"type": "command", "command": …}`, with `padding` for spaces before it. It reads JSON about the session on stdin, has 5 s, and runs after something has changed, at most every 300 ms. It is a hook for `disableAllHooks` and `allowManagedHooksOnly`.',
    { fallback: "model, mode, context, cost, branch, agents" },
  ),
  editorMode: setting(
    "editorMode",
    oneOf(["normal", "vim"]),
    `Which keys edit the prompt: the usual ones, or vim's, which begin in insert mode. \`/vim\` switches. ${NOT_IN_PROJECT}`,
    { fallback: "`normal`", trust: "never" },
  ),
  notification: setting(
    "troupe.notification",
    oneOf(["bell", "desktop", "off"]),
    "What the terminal does if you are asked something and have typed nothing for 10 s: rings, also shows a notification of the desktop (iTerm2, WezTerm, Ghostty, kitty, foot, rxvt-unicode; not within tmux or screen), or nothing.",
    { fallback: "`bell`" },
  ),
  deferTools: {
    tools: setting(
      "troupe.deferTools",
      oneOf(["auto", "on", "off"]),
      "Whether a model gets only the names of tools, which it finds with ToolSearch and calls with UseTool. `auto`: those of MCP servers, if their schemas exceed `troupe.deferToolsAbove` or `troupe.deferToolsAboveTokens`. `on`: always, and built-in ones that are seldom needed.",
      { fallback: "`auto`" },
    ),
    above: setting(
      "troupe.deferToolsAbove",
      number({ min: 0, max: 1 }),
      "The share of a model's window that the schemas of MCP tools can fill before they are deferred.",
      { fallback: "0.1" },
    ),
    aboveTokens: setting(
      "troupe.deferToolsAboveTokens",
      wholeSetting({ min: 0, max: 100_000_000 }),
      "The tokens that the schemas of MCP tools can fill before they are deferred, however large the window is.",
      { fallback: "20000; no limit if `troupe.deferToolsAbove` is set" },
    ),
    names: setting(
      "troupe.deferToolsListing",
      oneOf(["attached", "inline"]),
      "Where the names of deferred tools appear: with the first message, or in the system prompt.",
      { fallback: "`attached`" },
    ),
  },
  agentListing: setting(
    "troupe.agentListing",
    oneOf(["inline", "attached"]),
    "Where the list of agents appears: in the description of the Agent tool, or with the first message, so that a new agent changes no tool. The environment variable `CLAUDE_CODE_AGENT_LIST_IN_MESSAGES` (`1` or `0`) wins.",
    { fallback: "`inline`" },
  ),
  forks: setting(
    "troupe.forks",
    yesOrNo(),
    "Whether an agent can start with the whole conversation of its parent, as a fork. If not, models do not learn of forks.",
    { fallback: "true" },
  ),
  checkReports: setting(
    "troupe.checkReports",
    yesOrNo(),
    "Whether the files and lines that agents cite are checked against what they have read, searched, written and run, and those that they have not seen are named. A project's settings can only switch it on.",
    { fallback: "true", trust: "stricter", width: (checks) => (checks === false ? 1 : 0) },
  ),
  ...pluginSettings,
  commandEnv: setting(
    "troupe.commandEnv",
    texts("names of variables"),
    "Environment variables that commands get in addition to the usual ones.",
  ),
  redact: setting(
    "troupe.redact",
    texts("texts"),
    "Secrets to leave out of journals and logs, in addition to those that Troupe knows.",
  ),
  trustedDirs: setting(
    "troupe.trustedFolders",
    rootedDirs(),
    `Directories whose own settings count without a question: absolute or from the home (\`~/…\`); with \`/**\` at the end, also every directory below. ${NOT_IN_PROJECT}`,
    { trust: "never" },
  ),
} as const;

/** The same as a list, in the order of the documentation. */
export const settings: readonly Setting<unknown>[] = Object.values(schema).flatMap(
  (one): readonly Setting<unknown>[] => (isSetting(one) ? [one] : Object.values(one)),
);
