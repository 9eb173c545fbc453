import type { Effort } from "../mailbox/effort.ts";
import { agentBudgets, modelPrices, priceSum } from "./budget-checks.ts";
import {
  folders,
  namesByName,
  numberIn,
  object,
  objects,
  oneOf,
  text,
  texts,
  variables,
  wholeIn,
  yesOrNo,
} from "./checks.ts";
import { SHARE, windows } from "./compaction-checks.ts";
import { contextCatalogue } from "./context-catalogue.ts";
import { type LimitRange, limitRanges } from "./limit-ranges.ts";
import { modes, widthOf } from "./modes.ts";
import { isOwnVariable } from "./own-variables.ts";
import { type Setting, setting } from "./setting.ts";
import { skillCatalogue } from "./skill-catalogue.ts";
import { webCatalogue } from "./web-catalogue.ts";
import { worktreeCatalogue } from "./worktree-catalogue.ts";

export type LimitName = keyof typeof limitRanges;
export type SandboxMode = "off" | "on" | "required";
export type EditRule = "strict" | "relaxed";
export type WriteRule = "any" | "read-first";

/** Every setting that Troupe reads, by what the code calls it. */
export const catalogue = {
  model: setting("model", text("the name of a model"), {
    summary: "The model of the main conversation: `opus`, `sonnet`, `haiku`, a full id, or `offline`.",
    fallback: "`sonnet`",
  }),
  env: setting("env", variables(), {
    summary:
      "Environment variables for Troupe and the commands it runs; they win over those it was started with. A project's settings cannot set `PATH`, `HOME`, `SHELL`, `ENV`, `BASH_ENV`, `IS_SANDBOX`, proxies, or what starts with `ANTHROPIC_`, `CLAUDE_`, `TROUPE_`, `NODE_` (but for `NODE_ENV`), `LD_` or `DYLD_`.",
    ownOnly: isOwnVariable,
  }),
  apiKeyHelper: setting("apiKeyHelper", text("a command"), {
    summary:
      "A shell command that prints the key for the model; it runs once per session, where no key is set, and has 30 s.",
  }),
  allow: setting("permissions.allow", texts("rules"), {
    summary: "Calls that need no question, such as `Bash(npm test:*)`.",
  }),
  ask: setting("permissions.ask", texts("rules"), {
    summary: "Calls that are always a question.",
    foreign: "nothing",
  }),
  deny: setting("permissions.deny", texts("rules"), {
    summary: "Calls that never run, whatever else allows them.",
    foreign: "nothing",
  }),
  mode: setting("permissions.defaultMode", modes(), {
    summary:
      "The mode a session starts in. The enterprise's cannot be widened by anybody. A project's settings cannot say `bypassPermissions`.",
    fallback: "`default`",
    width: (mode) => widthOf(mode ?? "default"),
    ownOnly: (_, value) => value === "bypassPermissions",
  }),
  askEveryCommand: setting("troupe.askEveryCommand", yesOrNo(), {
    summary:
      "Whether every command of Bash is a question, whatever rules, modes, hooks and the sandbox allow; what is denied stays denied. A project's settings can only switch it on.",
    fallback: "false",
    foreign: "narrower",
    width: (asks) => (asks === true ? 0 : 1),
  }),
  additionalDirectories: setting("permissions.additionalDirectories", texts("folders"), {
    summary:
      "Folders to work in besides the current one: absolute, from the home (`~/…`), or relative to the current folder.",
  }),
  disableBypass: setting("permissions.disableBypassPermissionsMode", oneOf(["disable"]), {
    summary: "Switches the mode `bypassPermissions` off.",
    fallback: "it is on",
    foreign: "nothing",
  }),
  hooks: setting("hooks", object(), {
    summary:
      "Commands that run at events of a session, by event. Those of every file run, the enterprise's first.",
    merge: "each",
  }),
  disableHooks: setting("disableAllHooks", yesOrNo(), {
    type: "`true` or `false`",
    summary:
      "Switches hooks off, those of agents' definitions, too. Your organisation's go on, unless it says so itself.",
    fallback: "`false`",
    // What the organisation says is not what a later file says.
    merge: "each",
  }),
  mcpServers: setting("mcpServers", objects("servers"), {
    summary: "MCP servers by name. A server is one value: files do not complete each other's.",
    merge: "entries",
  }),
  languageServers: setting("troupe.languageServers", objects("servers"), {
    summary:
      'Language servers by language, each with `command` and `extensionToLanguage` (such as `{".ex": "elixir"}`), and `args`, `env`, `initializationOptions`, `settings` where it needs them; `{"disabled": true}` switches a language off. One for `typescript`, `python`, `go`, `rust` or `cpp` takes the place of the usual ones.',
    merge: "entries",
  }),
  aliases: {
    opus: alias("opus"),
    sonnet: alias("sonnet"),
    haiku: alias("haiku"),
  },
  agentModels: setting("troupe.agentModels", namesByName("models"), {
    summary:
      "The model of a type of agent: an alias, a full id, or `inherit` (the session's); `*` is every other type. It wins over the definition's, and a call that names a model wins over it. `CLAUDE_CODE_SUBAGENT_MODEL` is the same as `*`.",
    merge: "entries",
  }),
  smallModel: setting("troupe.smallModel", text("the name of a model"), {
    summary:
      "The model for what needs speed more than thought: reading fetched pages, and Explore, unless `troupe.agentModels` names it. `ANTHROPIC_SMALL_FAST_MODEL` wins. Compaction stays with the conversation's model, whose cache already has it.",
    fallback: "the session's model",
  }),
  effort: setting("effortLevel", oneOf<Effort>(["low", "medium", "high", "xhigh", "max"]), {
    summary: "How much the model puts into its replies; an agent's definition wins.",
    fallback: "the server's",
  }),
  limits: {
    maxAgents: limit("maxAgents", "Agents at work at the same time; the rest wait in order."),
    maxDepth: limit("maxDepth", "How deep agents may start agents; the main conversation is 0."),
    patienceMs: limit("patienceMs", "Milliseconds a request may be retried in all."),
    idleMs: limit("idleMs", "Milliseconds without a word of the model before a reply is given up."),
    backgroundMs: limit(
      "backgroundMs",
      "Milliseconds an agent that has answered is kept for its commands in the background.",
    ),
    stuckWarnMs: limit("stuckWarnMs", "Milliseconds an agent's thread may stand still before it is said."),
    stuckMs: limit("stuckMs", "Milliseconds an agent's thread may stand still before it is ended."),
    toolMs: limit(
      "toolMs",
      "Milliseconds a call in an agent's own thread may take; commands have their own.",
    ),
    mcpStartMs: limit("mcpStartMs", "Milliseconds that the first request waits for MCP servers to start."),
    graceMs: limit("graceMs", "Milliseconds an agent has to end by itself once it is cancelled."),
    maxTokens: limit(
      "maxTokens",
      "Tokens of one reply, at most the model's own limit. By itself a reply may be as long as that limit, if it is known, in a sixth of the window.",
    ),
    maxTurns: limit("maxTurns", "Turns after which a conversation writes its summary."),
    thinkingTokens: limit("thinkingTokens", "Tokens to think with; 0 is off."),
    parallelCalls: limit(
      "parallelCalls",
      "Calls of one reply that an agent's own thread runs at the same time, such as Read and Grep.",
    ),
    maxChildren: bound("maxChildren", 1_000, "Agents that one agent may start in all."),
    maxAgentsPerSession: bound("maxAgentsPerSession", 1_000, "Agents that a session may start in all."),
    agentMinutes: bound("agentMinutes", 0, "Minutes after which an agent is stopped; 0 is never."),
    sessionMinutes: bound(
      "sessionMinutes",
      0,
      "Minutes after which a session's agents are stopped; 0 is never.",
    ),
    backgroundMinutes: bound(
      "backgroundMinutes",
      0,
      "Minutes that `troupe -p` waits for agents in the background once it has its answer; 0 is until they end.",
    ),
  } satisfies Readonly<Record<LimitName, Setting<number>>>,
  budget: {
    maxBudgetUsd: setting("troupe.maxBudgetUsd", numberIn({ min: 0.001, max: 1_000_000 }), {
      summary:
        "Dollars that a session may spend; before they are spent its agents are asked for their summaries. No flag goes above the enterprise's.",
      fallback: "no limit",
      foreign: "narrower",
      width: (usd) => (typeof usd === "number" ? usd : Number.POSITIVE_INFINITY),
    }),
    agentBudgets: setting("troupe.agentBudgets", agentBudgets(), {
      summary:
        "What an agent of a type may use, with all agents below it: any of `tokens`, `usd`, `turns`, `minutes`. It is taken from the budget of whoever starts the agent, and what is left goes back. Of several files the smallest number counts.",
      merge: "each",
      foreign: "nothing",
    }),
    prices: setting("troupe.prices", modelPrices(), {
      summary:
        "Prices of models by full id, in dollars per million tokens: `input`, `output`, and `cacheWrite`, `cacheRead` where they are not those of `input`. Not for a project's settings, and none cheaper in all than the enterprise's.",
      fallback: "list prices of the models that Troupe knows",
      merge: "entries",
      foreign: "never",
      width: (price) => -priceSum(price),
    }),
    quoteAboveUsd: setting("troupe.quoteAboveUsd", numberIn({ min: 0, max: 1_000_000 }), {
      summary:
        "Dollars that agents started together are likely to cost without a question (with `-p`: a line on stderr); 0 is always. Likely is what such agents cost before on this machine, or else typical turns.",
      fallback: "1",
      foreign: "narrower",
      width: (usd) => (typeof usd === "number" ? usd : 1),
    }),
  },
  compaction: {
    auto: setting("troupe.autoCompact", yesOrNo(), {
      summary:
        "Whether a conversation that no longer fits into its model's window is made shorter by itself; `/compact` always does it.",
      fallback: "true",
    }),
    at: setting("troupe.compactAt", numberIn(SHARE), {
      summary:
        "The share of a model's window at which a conversation is made shorter; earlier where a reply would have no room left.",
      fallback: "0.9",
    }),
    windows: setting("troupe.contextWindows", windows(), {
      summary: "Tokens of a model's window, by its full id.",
      fallback: "those of the models that Troupe knows, else 200000",
      merge: "entries",
    }),
  },
  fileRules: {
    edit: setting("troupe.fileRules.edit", oneOf<EditRule>(["strict", "relaxed"]), {
      summary:
        "Whether Edit refuses a file that has changed since the agent read it (`strict`), or edits it where the text to replace still stands there once. A project's settings can only make it stricter.",
      fallback: "`strict`",
      foreign: "narrower",
      width: (rule) => (rule === "relaxed" ? 1 : 0),
    }),
    write: setting("troupe.fileRules.write", oneOf<WriteRule>(["any", "read-first"]), {
      summary:
        "Whether Write may overwrite a file that the agent has not read as it is. Another agent's work is never overwritten unread. A project's settings can only make it stricter.",
      fallback: "`any`",
      foreign: "narrower",
      width: (rule) => (rule === "read-first" ? 0 : 1),
    }),
  },
  sandbox: {
    mode: setting("troupe.sandbox.mode", oneOf<SandboxMode>(["off", "on", "required"]), {
      summary:
        "Whether commands run in a sandbox; `required` runs none where there is no sandbox. A project's settings can only make it stricter.",
      fallback: "`off`",
      foreign: "narrower",
      width: (mode) => (mode === "required" ? 0 : mode === "off" ? 2 : 1),
    }),
    autoAllow: setting("troupe.sandbox.autoAllow", yesOrNo(), {
      summary:
        "Whether a command in the sandbox needs no question. A project's settings can only switch it off.",
      fallback: "false",
      foreign: "narrower",
      width: (allowed) => (allowed === true ? 1 : 0),
    }),
    allowedDomains: setting("troupe.sandbox.allowedDomains", texts("domains"), {
      summary: "What commands in the sandbox may reach. Not for a project's settings.",
      foreign: "never",
    }),
    readOnly: setting("troupe.sandbox.readOnly", yesOrNo(), {
      summary:
        "Whether commands that only read, and file commands in `acceptEdits`, run in a confinement of their own. Not for a project's settings.",
      fallback: "true",
      foreign: "never",
      width: (confined) => (confined === false ? 1 : 0),
    }),
    denyRead: setting("troupe.sandbox.denyRead", texts("paths"), {
      summary: "What confined commands may not read, in the sandbox or in a confinement of their own.",
      foreign: "nothing",
    }),
  },
  webSearch: webCatalogue,
  worktree: worktreeCatalogue,
  context: contextCatalogue,
  skills: skillCatalogue,
  commandEnv: setting("troupe.commandEnv", texts("names of variables"), {
    type: "list of names",
    summary: "Environment variables that commands get besides the usual ones.",
  }),
  redact: setting("troupe.redact", texts("texts"), {
    summary: "Secrets to leave out of journals and logs besides those Troupe knows.",
  }),
  trustedFolders: setting("troupe.trustedFolders", folders(), {
    summary:
      "Folders whose own settings count without a question: absolute or from the home (`~/…`); with `/**` at its end, every folder below it too. Not for a project's settings.",
    foreign: "never",
  }),
} as const;

/** The same as a list, in the order of the documentation. */
export const settings: readonly Setting<unknown>[] = Object.values(catalogue).flatMap(
  (one): readonly Setting<unknown>[] => (isSetting(one) ? [one] : Object.values(one)),
);

function alias(name: "opus" | "sonnet" | "haiku"): Setting<string> {
  return setting(`troupe.aliases.${name}`, text("the name of a model"), {
    summary: `The full id of the model that \`${name}\` stands for.`,
    fallback: "the newest of its family",
  });
}

function limit(name: LimitName, summary: string): Setting<number> {
  const range: LimitRange = limitRanges[name];
  return setting(`troupe.${name}`, wholeIn(range), {
    summary,
    fallback: "",
  });
}

/** A limit that a folder's own files can only make stricter; `usual` counts where nobody sets it, and 0 is no limit. */
function bound(name: LimitName, usual: number, summary: string): Setting<number> {
  return {
    ...limit(name, `${summary} A project's settings can only make it stricter.`),
    fallback: String(usual),
    foreign: "narrower",
    width: (value) => (typeof value === "number" ? value : usual) || Number.POSITIVE_INFINITY,
  };
}

function isSetting(one: object): one is Setting<unknown> {
  return "fallback" in one;
}
