import { hash } from "node:crypto";
import { promptUsage, type ServerPrompt } from "../../features/servers/server-prompts.ts";
import type { ChangedTool, ServerStatus } from "../../mcp/mcp.ts";
import type { Paint } from "../../terminal/colour.ts";
import { counted } from "../../terminal/figures.ts";
import { safeLine, visibleText } from "../../terminal/safe-text.ts";
import { quoted } from "../exit-codes.ts";
import { serverStateText } from "../mcp/configured-servers.ts";
import type { SlashContext } from "./slash-context.ts";

export const SERVERS_USAGE = "/mcp [ACTION NAME]";
const ACTIONS = ["login", "logout", "restart", "changes", "accept"] as const;
/** The part of one tool's description that the user is shown; a longer one adds nothing new. */
const MOST_CHARS = 4_000;

/** `/mcp`: shows the status of each server and the available actions. */
export async function serverCommand(argument: string, context: SlashContext): Promise<string> {
  const [action = "", ...words] = argument.split(/\s+/).filter((word) => word !== "");
  if (action === "") return listed(context);
  const known = ACTIONS.find((one) => one === action);
  if (known === undefined)
    return safeLine(
      `/mcp cannot ${quoted(action)}; it can ${ACTIONS.slice(0, -1).join(", ")} and ${ACTIONS.at(-1)}, each with the name of a server.`,
    );
  const code = known === "accept" && /^[0-9a-f]{8}$/.test(words.at(-1) ?? "") ? words.pop() : undefined;
  const name = words.join(" ").replace(/^(["'])(.*)\1$/, "$2");
  const server = named(name, context);
  if (typeof server === "string") {
    const odd = known === "accept" && code === undefined && words.length > 1;
    return safeLine(
      odd ? `${server} The code to accept is the last line of /mcp changes, 8 digits and letters.` : server,
    );
  }
  switch (known) {
    case "login":
      return safeLine(await signedIn(server, context));
    case "logout":
      return safeLine(await signedOut(server, context));
    case "restart":
      return safeLine(await restarted(server, context));
    case "changes":
      return changesOf(server, context);
    case "accept":
      return accepted(server, code, context);
    default:
      return known satisfies never;
  }
}

function listed({ session }: SlashContext): string {
  const prompts = session.mcp.prompts();
  const lines = session.mcpServers().map((server) => {
    const own = prompts.filter((prompt) => prompt.server === server.name).length;
    return safeLine(`${server.name}: ${serverStateText(server, { commands: "/mcp", prompts: own })}`);
  });
  const leftOut = Object.entries(session.serversLeftOut()).map(([name, why]) =>
    safeLine(`${name}: not started: ${why}`),
  );
  return [...lines, ...leftOut].join("\n") || "There are no MCP servers; `troupe mcp add` adds one.";
}

/** Returns a sentence if there is no such server. */
function named(name: string, { session }: SlashContext): ServerStatus | string {
  const servers = session.mcpServers();
  const found = servers.find((one) => one.name === name) ?? servers.find((one) => one.slug === name);
  if (found !== undefined) return found;
  const leftOut = Object.entries(session.serversLeftOut()).find(([known]) => known === name);
  if (leftOut !== undefined) return `The MCP server ${quoted(name)} is not started: ${leftOut[1]}.`;
  const there = servers.map((one) => one.name).join(", ");
  const known = there === "" ? "There are no MCP servers." : `There are: ${there}.`;
  return name === "" ? `Name the server. ${known}` : `There is no MCP server ${quoted(name)}. ${known}`;
}

async function signedIn({ name, slug, state }: ServerStatus, context: SlashContext): Promise<string> {
  const { session, say, stoppable } = context;
  if (state.type === "connected")
    return `The MCP server "${name}" is connected, so no sign-in is needed. If you have signed in, /mcp logout ${slug} forgets that.`;
  const signal = stoppable();
  const show = (url: string) => {
    say("Open this page in a browser on this machine, and sign in there (Ctrl-C gives up):");
    say(safeLine(url));
  };
  const outcome = await session.mcp.signIn(slug, show, signal);
  if (!outcome.ok) return signal.aborted ? "The sign-in was not completed." : outcome.message;
  const now = session.mcpServers().find((one) => one.slug === slug);
  if (now?.state.type === "connected")
    return `You are signed in, and the MCP server "${name}" is connected (${counted(now.tools, "tool")}).`;
  const why = now !== undefined && "reason" in now.state && now.state.reason ? ` ${now.state.reason}` : "";
  return `You are signed in, but the MCP server "${name}" is not connected.${why}`;
}

async function signedOut(
  { name, slug }: ServerStatus,
  { session, stoppable }: SlashContext,
): Promise<string> {
  const outcome = await session.mcp.signOut(slug, stoppable());
  if (!outcome.ok) return outcome.message;
  const { wasSignedIn, stillValid } = outcome.value;
  const ended = `${wasSignedIn ? "You are no longer" : "You were not"} signed in at the MCP server "${name}".`;
  return stillValid === null ? ended : `${ended} ${stillValid}`;
}

async function restarted(
  { name, slug }: ServerStatus,
  { session, stoppable }: SlashContext,
): Promise<string> {
  const outcome = await session.mcp.restart(slug, stoppable());
  if (!outcome.ok) return outcome.message;
  const tools = session.mcpServers().find((one) => one.slug === slug)?.tools ?? 0;
  return `The MCP server "${name}" is connected (${counted(tools, "tool")}).`;
}

function changesOf(server: ServerStatus, { session, paint }: SlashContext): string {
  const { name, slug } = server;
  const changes = session.mcp.changes(slug);
  if (changes.length === 0)
    return safeLine(`No tool of the MCP server "${name}" has changed since the session first saw it.`);
  return [
    safeLine(
      `The MCP server "${name}" has changed what these tools are. Models read that as instructions, so they are refused until you accept it.`,
    ),
    ...changes.flatMap((change) => changeRows(change, paint)),
    `/mcp accept ${slug} ${codeOf(changes)} takes them as they are now.`,
  ].join("\n");
}

/** Accepts only what was shown exactly so. */
function accepted(server: ServerStatus, code: string | undefined, context: SlashContext): string {
  const { mcp } = context.session;
  const changes = mcp.changes(server.slug);
  if (changes.length === 0 || code !== codeOf(changes)) return changesOf(server, context);
  const names = mcp.accept(server.slug, changes);
  return safeLine(`Used as they are now: ${names.join(", ")}.`);
}

function changeRows({ accepted: before, now }: ChangedTool, paint: Paint): string[] {
  const isReworded = before.description !== now.description;
  const isReshaped = JSON.stringify(before.inputSchema) !== JSON.stringify(now.inputSchema);
  const pair = (what: string, was: string, is: string) => [
    `  ${what}, before: ${paint("dim", cut(was))}`,
    `  ${what}, now: ${cut(is)}`,
  ];
  return [
    paint("bold", safeLine(now.name)),
    ...(isReworded ? pair("description", before.description, now.description) : []),
    ...(isReshaped
      ? pair("arguments", JSON.stringify(before.inputSchema), JSON.stringify(now.inputSchema))
      : []),
    ...(isReworded || isReshaped ? [] : ["  more of its description, behind what is shown to models"]),
  ];
}

function cut(text: string): string {
  const shown = text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS).toWellFormed()}…`;
  return visibleText(shown).replaceAll("\n", "\n    ");
}

function codeOf(changes: readonly ChangedTool[]): string {
  const all = changes.map(({ now }) => `${now.name} ${now.digest}`).join("\n");
  return hash("sha256", all).slice(0, 8);
}

/** Formats a server's prompt in a list, without its server. */
export function promptLine(prompt: ServerPrompt): string {
  const { description } = prompt;
  return safeLine(
    `${promptUsage(prompt)}${description === undefined ? "" : `: ${description.slice(0, 250)}`}`,
  );
}
