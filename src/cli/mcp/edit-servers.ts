import { join } from "node:path";
import { isObject } from "../../lib/json.ts";
import { parseMcpServers, variablesIn } from "../../mcp/parse-servers.ts";
import { editSettings } from "../../settings/edit-settings.ts";
import { isProjectScope, type SettingsPath, settingsPaths } from "../../settings/paths.ts";
import { schema } from "../../settings/schema.ts";
import { projectServers } from "../../settings/server-files.ts";
import { readSettingsFile } from "../../settings/settings-file.ts";
import type { Arguments } from "../arguments.ts";
import type { Context } from "../command.ts";
import { isUntrusted, whereOf, workingDir } from "../directories.ts";
import { exitCodes, quoted, UsageError } from "../exit-codes.ts";
import type { CliIO } from "../process-io.ts";
import { mcpFlags as flags } from "./mcp-flags.ts";

const SCOPES = ["local", "project", "user"] as const;
type Scope = (typeof SCOPES)[number];

/** `mcp add`: after the name comes a command or one address. */
export async function addServer(
  name: string,
  words: readonly string[],
  args: Arguments,
  context: Context,
): Promise<number> {
  const [first = "", ...others] = words;
  const isAddress = /^https?:\/\//i.test(first) && others.length === 0;
  if (!isAddress && others.length === 0 && /^[a-z][a-z0-9+.-]*:\/\//i.test(first))
    throw new UsageError(`${first} is not the address of a server: it must begin with http:// or https://.`);
  const type = args.value(flags.transport) ?? (isAddress ? "http" : "stdio");
  const env = parsePairs(args.value(flags.env), "=", "--env NAME=VALUE");
  const headers = parsePairs(args.value(flags.header), ":", '--header "NAME: VALUE"');
  if (type === "stdio") {
    if (headers !== null) throw new UsageError("--header is for servers with an address; leave it out.");
    return write(
      name,
      { type, command: first, args: others, ...(env === null ? {} : { env }) },
      args,
      context,
    );
  }
  if (!isAddress)
    throw new UsageError(
      `--transport ${type} needs one address that begins with http:// or https://, not ${quoted(words.join(" "))}.`,
    );
  if (env !== null) throw new UsageError("--env is for servers that are programs; leave it out.");
  return write(name, { type, url: first, ...(headers === null ? {} : { headers }) }, args, context);
}

/** `mcp add-json`: the entry for the file. */
export async function addJson(
  name: string,
  text: string,
  args: Arguments,
  context: Context,
): Promise<number> {
  let entry: unknown;
  try {
    entry = JSON.parse(text);
  } catch {
    throw new UsageError(`${quoted(text)} is not JSON; put it in single quotes: '{"command": "…"}'.`);
  }
  if (!isObject(entry))
    throw new UsageError(`${quoted(text)} is not a JSON object such as {"command": "…"}.`);
  return write(name, entry, args, context);
}

export async function removeServer(name: string, args: Arguments, { io }: Context): Promise<number> {
  const root = await workingDir(args, io);
  const wanted = args.value(flags.scope);
  const scopes = wanted === undefined ? SCOPES : [wanted];
  const found = await Promise.all(
    scopes.map(async (scope) => ((await entryIn(findPlace(scope, io, root), name)) === null ? [] : [scope])),
  ).then((each) => each.flat());
  const [scope, second] = found;
  if (scope === undefined) {
    const where = scopes.map((one) => findPlace(one, io, root).file).join(", ");
    throw new UsageError(
      `There is no MCP server ${quoted(name)} in ${where}; troupe mcp list shows the file of each server.`,
    );
  }
  if (second !== undefined)
    throw new UsageError(
      `The MCP server ${quoted(name)} is in more than one file; add --scope ${found.join(" or --scope ")}.`,
    );
  const place = findPlace(scope, io, root);
  const refusal = await editSettings(place, root, [...schema.mcpServers.path, name], undefined);
  if (refusal !== null) throw new Error(refusal);
  await io.stderr.write(`The MCP server ${quoted(name)} is no longer in ${place.file}.\n`);
  return exitCodes.done;
}

async function write(name: string, entry: object, args: Arguments, { io }: Context): Promise<number> {
  const root = await workingDir(args, io);
  const scope = args.value(flags.scope) ?? "local";
  const place = findPlace(scope, io, root);
  const unset = variablesIn(JSON.stringify(entry)).filter((variable) => io.env[variable] === undefined);
  // They may be set in another environment; here they must only leave a valid entry.
  const env = { ...Object.fromEntries(unset.map((variable) => [variable, "http://later"])), ...io.env };
  const [problem] = parseMcpServers({ mcpServers: { [name]: entry } }, { file: place.file, env }).problems;
  if (problem !== undefined) throw new UsageError(`${problem} Nothing was written.`);
  if ((await entryIn(place, name)) !== null)
    throw new UsageError(
      `There is an MCP server ${quoted(name)} in ${place.file} already; remove it first: troupe mcp remove ${name} --scope ${scope}.`,
    );
  const refusal = await editSettings(place, root, [...schema.mcpServers.path, name], entry);
  if (refusal !== null) throw new Error(refusal);
  await io.stderr.write(`The MCP server ${quoted(name)} is in ${place.file} now.\n`);
  if (unset.length > 0) {
    const are = unset.length === 1 ? "is" : "are";
    await io.stderr.write(
      `${unset.join(", ")} ${are} not set here; it is started only where ${unset.length === 1 ? "it" : "they"} ${are}.\n`,
    );
  }
  if (isProjectScope(place.scope) && (await isUntrusted(io, root)))
    await io.stderr.write(
      "It starts once you trust this directory: a conversation (troupe) asks you, and --trust trusts it for one run.\n",
    );
  return exitCodes.done;
}

/** Returns null if the file has no such entry. */
async function entryIn(place: SettingsPath, name: string): Promise<unknown> {
  const { leaves } = await readSettingsFile(place);
  const found = leaves.find(({ setting, path }) => setting === schema.mcpServers && path.at(-1) === name);
  return found?.value ?? null;
}

function findPlace(scope: Scope, io: CliIO, root: string): SettingsPath {
  if (scope === "project") return projectServers(root);
  const place = settingsPaths(whereOf(io, root)).find((one) => one.scope === scope);
  return place ?? { scope, file: join(root, ".claude", "settings.local.json") };
}

/** Returns null without pairs. */
function parsePairs(given: readonly string[], sign: string, usage: string): Record<string, string> | null {
  if (given.length === 0) return null;
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf(sign);
      if (at < 1) throw new UsageError(`${quoted(text)} has no name and value; write ${usage}.`);
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    }),
  );
}
