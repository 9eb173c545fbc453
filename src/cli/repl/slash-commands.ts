import { listedName, type Skill, skillTyped } from "../../context/skills/skill.ts";
import type { OfferedModel } from "../../features/models/index.ts";
import { errorMessage } from "../../lib/errors.ts";
import { nearName, nearNames } from "../../lib/near-name.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { PermissionMode } from "../../settings/permissions.ts";
import { shortCount } from "../../terminal/figures.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { quoted } from "../exit-codes.ts";
import { ruleLines } from "../permissions/format.ts";
import { tableLines } from "../print.ts";
import { sessionFlags } from "../session-flags.ts";
import { subcommandAdvice } from "../skills.ts";
import { formatAgentList, resumeAgent, stopAgents } from "./agent-commands.ts";
import { config, switchVim } from "./config-commands.ts";
import { formatHelp } from "./help.ts";
import { remember } from "./remember.ts";
import { promptLine, SERVERS_USAGE, serverCommand } from "./server-commands.ts";
import { exportSession, runShellCommand, shellCommands, wordsOf } from "./shell-command.ts";
import type { SlashContext } from "./slash-context.ts";
import { contextLine, formatCost } from "./turn-account.ts";

/** Returns null if there is nothing to print. */
type Run = (argument: string, context: SlashContext) => string | null | Promise<string | null>;

interface SlashCommand {
  readonly usage: string;
  readonly summary: string;
  readonly run: Run;
}

const commands: Readonly<Record<string, SlashCommand>> = {
  help: { usage: "/help", summary: "show this", run: help },
  agents: {
    usage: "/agents",
    summary: "the agents of this conversation: id, state, turns, tokens",
    run: (_, context) => formatAgentList(context),
  },
  tasks: {
    usage: "/tasks [ID]",
    summary: "what runs in the background; with ID, what it printed; stop ID stops it",
    run: async (argument, context) => (await import("./task-commands.ts")).tasks(argument, context),
  },
  stop: {
    usage: "/stop [ID]",
    summary: "stop an agent and all below it; without an id, all that is at work",
    run: stopAgents,
  },
  resume: {
    usage: "/resume ID TEXT",
    summary: "resume an agent that has ended, with all it knows",
    run: resumeAgent,
  },
  inbox: {
    usage: "/inbox [ID ANSWER]",
    summary: "what waits for you in all your sessions; with ID, your answer to it",
    run: inbox,
  },
  skills: {
    usage: "/skills",
    summary: "what else can be called as /NAME: skills, commands, prompts of MCP servers",
    run: skills,
  },
  mcp: {
    usage: SERVERS_USAGE,
    summary: "the state of the MCP servers; login, logout, restart, changes or accept of one",
    run: serverCommand,
  },
  mode: { usage: "/mode [MODE]", summary: "show or set what is allowed without asking", run: mode },
  permissions: { usage: "/permissions", summary: "the rules in force, with their files", run: permissions },
  config: {
    usage: "/config [KEY [VALUE]]",
    summary: "the settings in force, with their files; set one, as `troupe config` does",
    run: config,
  },
  vim: {
    usage: "/vim",
    summary: "edit the prompt with vim's keys, or no longer; in normal mode / searches what you asked",
    run: switchVim,
  },
  remember: {
    usage: "/remember TEXT",
    summary: "keep it in the project's memory file; --user in yours, --local in yours for this project",
    run: remember,
  },
  cost: {
    usage: "/cost",
    summary: "what this session has used",
    run: (_, { session }) => formatCost(session.usage()),
  },
  model: {
    usage: "/model [NAME]",
    summary: "show the models, or ask another one from the next request on",
    run: model,
  },
  export: {
    usage: "/export [FILE]",
    summary: "write this conversation into a new file, Markdown (.md) or one page (.html)",
    run: (file, { session, own }) => exportSession(session.session, file, own),
  },
  compact: {
    usage: "/compact [WHAT TO KEEP]",
    summary: "make this conversation shorter: a summary in place of its older turns",
    run: compact,
  },
  rewind: {
    usage: "/rewind [N]",
    summary: "return to before an earlier prompt, with the files of then if you want; so does Esc twice",
    run: async (argument, context) => (await import("./rewind.ts")).rewind(argument, context),
  },
  clear: {
    usage: "/clear",
    summary: "end this conversation, to be resumed, and begin a new one without what was said",
    async run(_, { clear }) {
      await clear();
      return null;
    },
  },
  exit: {
    usage: "/exit",
    summary: "leave; so do Ctrl-D and Ctrl-C twice",
    run(_, { leave }) {
      leave();
      return null;
    },
  },
};

/** What can be typed after a slash, with what it is for. */
export const commandSummaries: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(commands).map(([name, { summary }]) => [name, summary])),
  ...shellCommands,
};

/** True if the line starts with a slash and its first word is not a path. */
export function isSlashCommand(line: string): boolean {
  return /^\/[^\s/]*(?:\s|$)/.test(line);
}

/**
 * True if the session must handle the line, because it calls a skill that may be new. A line similar to a built-in
 * command is a typing error.
 */
export function callsSkill(line: string, skills: readonly Skill[], hasServers = false): boolean {
  const [, word = ""] = /^\/(\S*)/.exec(line) ?? [];
  if (hasServers && word.startsWith("mcp__")) return true;
  if (word === "" || word === "quit" || Object.hasOwn(commands, word) || skills.length === 0) return false;
  if (skillTyped(word, skills).type !== "none") return true;
  return subcommandAdvice(word) === null && nearName(word, Object.keys(commandSummaries)) === null;
}

/** Returns the command's output, safe for a terminal, or null. Never rejects. */
export async function runSlashCommand(line: string, context: SlashContext): Promise<string | null> {
  const [, word = "", argument = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line.trim()) ?? [];
  const name = word === "quit" ? "exit" : word;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  try {
    if (Object.hasOwn(shellCommands, name)) {
      const printed = await runShellCommand(name, wordsOf(argument), context.own);
      return name === "context" && argument.trim() === ""
        ? `${contextLine(context.contextTokens, context.session.models.choices())}\n\n${printed}`
        : printed;
    }
    if (!command) return unknown(word, context);
    return await command.run(argument.trim(), context);
  } catch (error) {
    return safeLine(errorMessage(error));
  }
}

function unknown(word: string, { session }: SlashContext): string {
  const skills = session.skills().filter(({ forUser }) => forUser);
  const others = [...skills, ...session.mcp.prompts()].map(({ name }) => name);
  const near = nearNames(word, [...Object.keys(commandSummaries), ...others]);
  const guess = `did you mean ${near.map((name) => `/${name}`).join(" or ")}?`;
  const hint =
    subcommandAdvice(word) ?? (near.length > 0 ? guess : "/help lists the commands, /skills the skills.");
  return safeLine(`There is no command ${quoted(`/${word}`)}; ${hint}`);
}

function help(_: string, { session }: SlashContext): string {
  const rows = [
    ...Object.values(commands).map(({ usage, summary }) => [usage, summary] as const),
    ...Object.entries(shellCommands).map(([name, summary]) => [`/${name} …`, summary] as const),
  ];
  return formatHelp(rows, session.mcp.prompts());
}

function skills(_: string, { session, paint }: SlashContext): string {
  const rows = session.skills().map((skill) => {
    const { argumentHint, description, origin } = skill;
    const usage = `/${listedName(skill)}${argumentHint === null ? "" : ` ${argumentHint}`}`;
    return `${safeLine(`${usage}: ${description}`)} ${paint("dim", `(${ORIGINS[origin]})`)}`;
  });
  const prompts = session.mcp
    .prompts()
    .map(
      (prompt) => `${promptLine(prompt)} ${paint("dim", safeLine(`(the MCP server ${prompt.server}'s)`))}`,
    );
  return [...rows, ...prompts].join("\n") || "There are no skills here.";
}

const ORIGINS: Readonly<Record<Skill["origin"], string>> = {
  enterprise: "your organisation's",
  user: "yours",
  project: "this project's",
  plugin: "a plug-in's",
  shipped: "Troupe's",
};

async function inbox(argument: string, { own, paint }: SlashContext): Promise<string> {
  const { inboxInConversation } = await import("../inbox/inbox.ts");
  return inboxInConversation(argument, own.io, paint);
}

function model(argument: string, { session, paint }: SlashContext): string {
  if (argument === "") return formatModels(session.models.choices(), paint);
  const change = session.models.change(argument);
  if (change.type === "refused") return safeLine(change.reason);
  return safeLine(`The model is ${change.model} from the next request on.`);
}

function formatModels(models: readonly OfferedModel[], paint: SlashContext["paint"]): string {
  const rows = models.map(({ name, model: id, windowTokens, isCurrent }) => [
    `${isCurrent ? "*" : " "} ${safeLine(name)}`,
    safeLine(id),
    { text: `window of ${shortCount(windowTokens)} tokens`, paint: (text: string) => paint("dim", text) },
  ]);
  return tableLines(rows).join("\n");
}

async function mode(argument: string, { session, whyNot, confirmMode }: SlashContext): Promise<string> {
  if (argument === "") return `The mode is ${session.mode()}.`;
  const wanted = modeOf(argument);
  const why = whyNot(wanted);
  if (why !== null) return safeLine(why);
  if (session.mode() !== wanted && !(await confirmMode(wanted))) return `The mode stays ${session.mode()}.`;
  session.setMode(wanted);
  return `The mode is ${wanted} from now on.`;
}

async function compact(argument: string, { session, stoppable }: SlashContext): Promise<string> {
  const stop = () => session.cancel(MAIN, "The user stopped it.", "foreground");
  stoppable().addEventListener("abort", stop, { once: true });
  const done = await session.compact(MAIN, argument);
  if (done.type === "left") return safeLine(done.reason);
  const { before, after } = done;
  if (after > before) return "The older turns of the conversation are a summary now.";
  const tokens = `about ${shortCount(after)} tokens`;
  if (shortCount(after) === shortCount(before)) return `The conversation is a little shorter: ${tokens}.`;
  return `The conversation is shorter: ${tokens} instead of ${shortCount(before)}.`;
}

/** Uses the flag's own check, so that modes are spelt alike everywhere. */
function modeOf(word: string): PermissionMode {
  try {
    return sessionFlags.permissionMode.read([word]) ?? "default";
  } catch (error) {
    throw new Error(errorMessage(error).replace("--permission-mode", "The mode"));
  }
}

function permissions(_: string, { session, paint }: SlashContext): string {
  return [`The mode is ${session.mode()}.`, ...ruleLines(session.rules(), paint)].join("\n");
}
