import { MODE_NAMES } from "../settings/permissions.ts";
import type { Arguments } from "./arguments.ts";
import { UsageError } from "./exit-codes.ts";
import {
  choice,
  decimal,
  duration,
  flag,
  optionalText,
  poolNames,
  repeated,
  text,
  toolNames,
  whole,
} from "./option.ts";

/** Flags that every command which starts a session shares. */
export const sessionFlags = {
  model: text({
    name: "model",
    value: "MODEL",
    summary: "opus, sonnet, haiku, fable, an ID or offline",
    fallback: "ANTHROPIC_MODEL, else sonnet",
  }),
  effort: choice({
    name: "effort",
    value: "LEVEL",
    choices: ["low", "medium", "high", "xhigh", "max"],
    summary: "how hard the model thinks: low, medium, high, xhigh or max",
    fallback: "effortLevel",
  }),
  offline: flag({ name: "offline", summary: "use the embedded offline model even if a key is set" }),
  maxTurns: whole({
    name: "max-turns",
    value: "N",
    min: 1,
    max: 100_000,
    summary: "turns after which the model writes its summary",
    fallback: "100",
  }),
  maxBudgetUsd: decimal({
    name: "max-budget-usd",
    value: "USD",
    min: 0.001,
    max: 1_000_000,
    summary: "dollars that the whole session may cost",
  }),
  cwd: text({ name: "cwd", value: "DIR", summary: "the directory to work in", fallback: "the current one" }),
  addDir: repeated({
    name: "add-dir",
    value: "DIR",
    summary: "one more directory to work in; may be repeated",
  }),
  permissionMode: choice({
    name: "permission-mode",
    choices: ["default", "acceptEdits", "plan", "bypassPermissions", "dontAsk"],
    also: MODE_NAMES,
    summary: "what is allowed without asking",
    fallback: "default",
  }),
  trust: flag({
    name: "trust",
    summary: "trust this directory's own settings (.claude) for this run",
  }),
  allowedTools: toolNames({
    name: "allowed-tools",
    aliases: ["allowedTools"],
    value: "TOOLS",
    summary: "rules for what needs no question: a tool, or a call such as 'Bash(npm test:*)'",
  }),
  disallowedTools: toolNames({
    name: "disallowed-tools",
    aliases: ["disallowedTools"],
    value: "TOOLS",
    summary: "rules for what never runs: a tool, which is then not offered, or a call",
  }),
  mcpConfig: repeated({
    name: "mcp-config",
    value: "FILE|JSON",
    summary: "MCP servers, as in .mcp.json; may be repeated",
  }),
  agents: text({
    name: "agents",
    value: "JSON|FILE",
    summary: "agent types by name, each with description and prompt as in agent files",
  }),
  strictMcpConfig: flag({
    name: "strict-mcp-config",
    summary: "start the MCP servers of --mcp-config and no others",
  }),
  engine: text({
    name: "engine",
    value: "URL",
    summary: "engine of the runners, such as redis://localhost",
    fallback: "troupe.runners.engine",
  }),
  runners: poolNames(
    optionalText({
      name: "runners",
      value: "POOL",
      // The word after it may be a task.
      optionalValue: "joined",
      summary: "agents run on runners of this pool instead of here",
      fallback: "default",
    }),
  ),
  pluginDir: repeated({
    name: "plugin-dir",
    value: "DIR",
    summary: "a plug-in: agents, skills, commands, hooks and MCP servers; may be repeated",
  }),
  appendSystemPrompt: text({
    name: "append-system-prompt",
    value: "TEXT",
    summary: "text that is added to the system prompt",
  }),
  appendSystemPromptFile: text({
    name: "append-system-prompt-file",
    value: "FILE",
    summary: "the same from a file",
  }),
} as const;

/** What the main conversation is; at most one of them. */
export const mainFlags = {
  systemPrompt: text({
    name: "system-prompt",
    value: "TEXT",
    summary: "text that replaces the role of the main conversation",
  }),
  systemPromptFile: text({
    name: "system-prompt-file",
    value: "FILE",
    summary: "the same from a file",
  }),
  agent: text({
    name: "agent",
    value: "TYPE",
    summary: "the agent type whose prompt, tools and model the main conversation takes",
  }),
} as const;

/** Of commands that run alone: a conversation waits for as long as its user likes. */
export const limitPatience = duration({
  name: "limit-patience",
  value: "TIME",
  summary: "how long to wait for a usage limit or a lost network, such as 8h",
  fallback: "10m",
});

/** The value of --permission-prompt-tool with which requests are lines on stdout, answered by lines on stdin. */
export const STDIO = "stdio";

/** For sessions without a terminal to ask in. */
export const permissionPromptTool = text({
  name: "permission-prompt-tool",
  value: "TOOL",
  summary: "who answers permission requests: an MCP tool (mcp__server__tool), inbox or stdio",
});

/** Of commands that print a result for programs too. */
export const jsonFlag = flag({ name: "json", summary: "print JSON" });

/** Flags that every command has. */
export const commonFlags = {
  plain: flag({
    name: "plain",
    summary: "print lines and repaint none, for screen readers and logs",
    fallback: "TROUPE_PLAIN",
  }),
  debug: flag({ name: "debug", summary: "show stack traces of errors" }),
  help: flag({ name: "help", short: "h", summary: "show this help" }),
} as const;

/** Flags of `-p`, `fanout` and the other commands that start a session. */
export const sessionOptions = Object.values(sessionFlags);

/** Of commands that hold a main conversation. */
export const mainOptions = Object.values(mainFlags);

/** Flags of a conversation and of `-p` that resume a session. */
export const resumeFlags = {
  continue: flag({
    name: "continue",
    short: "c",
    summary: "resume the newest session about this directory",
  }),
  resume: optionalText({
    name: "resume",
    short: "r",
    value: "ID",
    optionalValue: "next",
    summary: "resume this session; the beginning of its ID is enough, and without one you choose",
  }),
  fork: flag({
    name: "fork-session",
    summary: "with --continue or --resume: work on a copy; the session itself stays as it is",
  }),
} as const;

export const resumeOptions = Object.values(resumeFlags);

/** Which session the user wants to resume. */
export type WantedSession =
  | { readonly type: "latest" }
  | { readonly type: "id"; readonly id: string }
  /** The user has not said yet. */
  | { readonly type: "choose" };

/** Returns null if a new session is wanted. */
export function wantedSession(args: Arguments): WantedSession | null {
  const latest = args.value(resumeFlags.continue);
  const id = args.value(resumeFlags.resume);
  if (latest && id !== undefined)
    throw new UsageError("--continue and --resume each name a session; give one of them.");
  if (latest) return { type: "latest" };
  if (id !== undefined) return id === "" ? { type: "choose" } : { type: "id", id };
  if (args.value(resumeFlags.fork))
    throw new UsageError("--fork-session copies a session; add --continue, or --resume ID, to say which.");
  return null;
}

/** Flags of `troupe run` alone. */
export const runFlags = {
  arg: repeated({
    name: "arg",
    value: "KEY=VALUE",
    summary: "one entry of the script's args; a value that is JSON is data, any other is text",
  }),
  force: repeated({
    name: "force",
    value: "CALL",
    summary: "with --resume: run the call of this label again, and what depends on its result",
  }),
} as const;
