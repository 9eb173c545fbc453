import { canonicalJson } from "../../lib/json.ts";
import type { McpTool, ServerStatus } from "../../mcp/mcp.ts";
import { joinServers } from "../../mcp/parse-servers.ts";
import type { Leaf } from "../../settings/leaves.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { refusedSchema } from "../../tools/definition.ts";
import type { Arguments } from "../arguments.ts";
import type { Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printJson, printNotes } from "../print.ts";
import { serversOfLeaves } from "./chosen-servers.ts";
import { bareReason, DISABLED, NOT_TRUSTED, serverStateText } from "./configured-servers.ts";
import { mcpFlags as flags } from "./mcp-flags.ts";
import { READY_MS, type ServersHere, serversHere, startServers, unknownServer } from "./servers-here.ts";

/** One server of any file, with its state. */
export interface ServerRow {
  readonly name: string;
  readonly file: string;
  /** As written in the file. */
  readonly entry: unknown;
  readonly state: string;
  readonly tools: readonly string[];
  /** Tools that no request can contain, each with the reason. */
  readonly unfit: readonly string[];
  readonly works: boolean;
  /** False: it was not started, as nothing uses it. */
  readonly used: boolean;
}

/** `mcp list`. The exit code is 1 if a server that is used does not work. */
export async function listServers(args: Arguments, context: Context): Promise<number> {
  const { io } = context;
  const rows = await rowsOf(args, context, () => true);
  const code = await printRows(rows, args, context, ({ name, entry, state, file }) => [
    `${safeLine(`${name}: ${addressOf(entry)}`)} - ${safeLine(state)} (${safeLine(file)})`,
  ]);
  if (rows.length === 0)
    await printNotes(io, ["There are no MCP servers here; troupe mcp add --help says how to add one."]);
  return code;
}

/** `mcp get NAME`: its file, its entry, its state and its tools. */
export async function showServer(name: string, args: Arguments, context: Context): Promise<number> {
  const rows = await rowsOf(args, context, (one) => one === name);
  if (rows.length === 0) {
    const { all } = await serversHere(args, context);
    throw unknownServer(
      name,
      all.map(({ path }) => path.at(-1) ?? ""),
    );
  }
  return printRows(rows, args, context, ({ name, file, entry, state, tools, unfit }) => [
    safeLine(name),
    `  file: ${safeLine(file)}`,
    `  entry: ${safeLine(JSON.stringify(entry))}`,
    `  state: ${safeLine(state)}`,
    ...(tools.length > 0 ? [`  tools: ${safeLine(tools.join(", "))}`] : []),
    ...(unfit.length > 0 ? [`  through ToolSearch: ${safeLine(unfit.join(", "))}`] : []),
  ]);
}

async function printRows(
  rows: readonly ServerRow[],
  args: Arguments,
  { io }: Context,
  linesOf: (row: ServerRow) => readonly string[],
): Promise<number> {
  if (args.value(flags.json)) await printJson(io, rows.map(jsonOf));
  else
    await io.stdout.write(
      rows
        .flatMap(linesOf)
        .map((line) => `${line}\n`)
        .join(""),
    );
  return rows.every(({ works }) => works) ? exitCodes.done : exitCodes.notDone;
}

async function rowsOf(
  args: Arguments,
  context: Context,
  isWanted: (name: string) => boolean,
): Promise<readonly ServerRow[]> {
  const here = await serversHere(args, context);
  await printNotes(context.io, here.warnings);
  return startedServers(here, context, isWanted);
}

/** Starts the servers that count here, and ends them when they have said what they have. */
export async function startedServers(
  { all, counted, trusted, root, home, env }: ServersHere,
  { io }: Pick<Context, "io">,
  isWanted: (name: string) => boolean = () => true,
): Promise<readonly ServerRow[]> {
  const wanted = all.filter(({ path }) => isWanted(path.at(-1) ?? ""));
  // One file can have the same entry for every directory and for this one.
  const leaves = wanted.filter((leaf, at) => wanted.findIndex((other) => isSame(other, leaf)) === at);
  const counts = (leaf: Leaf) => counted.some((one) => isSame(one, leaf));
  const parsed = serversOfLeaves(leaves.filter(counts), env);
  const { servers, problems } = joinServers(parsed);
  const warned: string[] = [];
  const parts = { clock: io.clock, env, cwd: root, home, onWarning: (text: string) => warned.push(text) };
  const mcp = servers.length === 0 ? null : startServers(servers, parts);
  try {
    await mcp?.ready(READY_MS);
    const states = new Set(mcp?.servers().map(({ state }) => ("reason" in state ? state.reason : null)));
    await printNotes(
      io,
      warned.filter((text) => !states.has(text)),
    );
    return leaves.map((leaf): ServerRow => {
      const name = leaf.path.at(-1) ?? "";
      const row = { name, file: leaf.file, entry: leaf.value, tools: [], unfit: [], works: true, used: true };
      if (!counts(leaf)) return { ...row, used: false, state: unusedReason(leaf, counted, trusted) };
      const status = mcp?.servers().find((one) => one.name === name);
      if (mcp === null || status === undefined) {
        const problem = problems.find((sentence) => sentence.includes(`"${name}"`));
        return { ...row, state: bareReason(problem ?? "disabled", row), works: problem === undefined };
      }
      const tools = mcp.tools().filter(({ slug }) => slug === status.slug);
      return {
        ...row,
        tools: tools.map((tool) => tool.name),
        unfit: findUnfit(tools),
        ...formatState(status),
      };
    });
  } finally {
    await mcp?.close();
  }
}

function findUnfit(tools: readonly McpTool[]): string[] {
  return tools.flatMap(({ name, inputSchema }) => {
    const why = refusedSchema(inputSchema);
    return why === null ? [] : [`${name} (${why})`];
  });
}

function formatState(server: ServerStatus): Pick<ServerRow, "state" | "works"> {
  const { type } = server.state;
  if (type === "starting") return { state: `did not start within ${READY_MS / 1_000} s`, works: false };
  return { state: serverStateText(server, { commands: "troupe mcp" }), works: type === "connected" };
}

function unusedReason(leaf: Leaf, counted: readonly Leaf[], trusted: boolean): string {
  const other = counted.find(({ path }) => path.at(-1) === leaf.path.at(-1));
  if (other?.file === leaf.file) return "not started: the entry for this directory in the same file is used";
  if (other !== undefined) return `not started: the entry of ${other.file} is used`;
  return `not started: ${trusted ? DISABLED : NOT_TRUSTED}`;
}

function isSame(one: Leaf, other: Leaf): boolean {
  return (
    one.file === other.file &&
    one.path.at(-1) === other.path.at(-1) &&
    canonicalJson(one.value) === canonicalJson(other.value)
  );
}

function addressOf(entry: unknown): string {
  if (typeof entry !== "object" || entry === null) return "?";
  const { command, args, url } = { command: undefined, args: undefined, url: undefined, ...entry };
  if (typeof command !== "string") return typeof url === "string" ? url : "?";
  return [command, ...(Array.isArray(args) ? args : [])].join(" ");
}

function jsonOf({ name, file, entry, state, tools, works }: ServerRow): object {
  return { name, file, entry, state, works, tools };
}
