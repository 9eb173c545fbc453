import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { errorMessage } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { joinServers, type ParsedServers, parseMcpServers } from "../../mcp/parse-servers.ts";
import type { McpServer } from "../../mcp/server.ts";
import { credentialsIn } from "../../policy/secrets/redactor.ts";
import type { SupervisorOptions } from "../../session/options.ts";
import type { Leaf } from "../../settings/leaves.ts";
import { quoted, UsageError } from "../exit-codes.ts";

export interface ChosenServers {
  readonly options: Pick<SupervisorOptions, "mcpServers" | "serversLeftOut" | "permissionPromptTool">;
  /** Secrets in the entries of servers. */
  readonly secrets: readonly string[];
  readonly notes: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

export interface ServerChoice {
  /** Servers of settings that are used. */
  readonly leaves: readonly Leaf[];
  /** Servers of settings that are not used, by name, each with the reason. */
  readonly leftOut: Readonly<Record<string, string>>;
  /** `--mcp-config`, each a file or JSON. */
  readonly configs: readonly string[];
  /** `--permission-prompt-tool`. */
  readonly tool: string | undefined;
  readonly env: Env;
  readonly cwd: string;
}

/** Joins the servers of settings and of flags; those of flags win. */
export async function chosenServers({
  leaves,
  leftOut,
  configs,
  tool,
  env,
  cwd,
}: ServerChoice): Promise<ChosenServers> {
  const ofSettings = serversOfLeaves(leaves, env);
  const ofFlags = await serversOfConfigs(configs, env, cwd);
  const { servers, problems } = joinServers([...ofSettings, ...ofFlags]);
  if (tool !== undefined) checkPromptTool(tool, servers, problems);
  return {
    options: {
      ...(servers.length === 0 ? {} : { mcpServers: servers }),
      serversLeftOut: { ...leftOut, ...unusable(leaves, servers) },
      ...(tool === undefined ? {} : { permissionPromptTool: tool }),
    },
    secrets: servers.flatMap(secretsOf),
    notes: problems,
  };
}

/** Returns the servers of settings that cannot be started, with the reason. */
function unusable(leaves: readonly Leaf[], servers: readonly McpServer[]): Readonly<Record<string, string>> {
  const started = new Set(servers.map(({ name }) => name));
  return Object.fromEntries(
    leaves.flatMap(({ path, value }) => {
      const name = path.at(-1) ?? "";
      const why = isObject(value) && value["disabled"] === true ? "disables it" : "cannot be used";
      return started.has(name) ? [] : [[name, `its entry ${why}`]];
    }),
  );
}

/** Parses each file on its own, for messages that name it. */
export function serversOfLeaves(leaves: readonly Leaf[], env: Env): readonly ParsedServers[] {
  return leaves.map(({ path, value, file, plugin }) => {
    const own =
      isObject(value) && plugin !== undefined ? { ...value, env: { ...plugin, ...envOf(value) } } : value;
    return parseMcpServers(
      { mcpServers: { [path.at(-1) ?? ""]: own } },
      { file, env: { ...env, ...plugin } },
    );
  });
}

function envOf(server: object): object {
  const env: unknown = Reflect.get(server, "env");
  return isObject(env) ? env : {};
}

/** Parses `--mcp-config`. Throws a `UsageError` if a server is invalid. */
export async function serversOfConfigs(
  configs: readonly string[],
  env: Env,
  cwd: string,
): Promise<readonly ParsedServers[]> {
  const parsed = await Promise.all(configs.map((config) => parseConfig(config, env, cwd)));
  const [wrong] = parsed.flatMap(({ problems }) => problems);
  if (wrong !== undefined) throw new UsageError(`--mcp-config: ${wrong}`);
  return parsed;
}

async function parseConfig(config: string, env: Env, cwd: string): Promise<ParsedServers> {
  if (config.trimStart().startsWith("{")) return parseMcpServers(config, { file: "the text given", env });
  const file = resolve(cwd, config);
  try {
    return parseMcpServers(await readFile(file, "utf8"), { file, env });
  } catch (error) {
    throw new UsageError(`--mcp-config: ${quoted(config)} cannot be read (${errorMessage(error)}).`);
  }
}

/** Checked before anything runs: a session without its permission prompt tool would only refuse. */
function checkPromptTool(tool: string, servers: readonly McpServer[], problems: readonly string[]): void {
  if (!/^mcp__.+?__./.test(tool))
    throw new UsageError(
      `--permission-prompt-tool cannot be ${quoted(tool)}; write the whole name of a tool of an MCP server, such as mcp__approvals__ask.`,
    );
  if (servers.some(({ slug }) => tool.startsWith(`mcp__${slug}__`))) return;
  const there = servers.map(({ slug }) => `mcp__${slug}__…`).join(", ");
  const known = there === "" ? "no MCP server is configured" : `there are ${there}`;
  throw new UsageError(
    [
      `There is no MCP server for --permission-prompt-tool ${tool}; ${known}. Add it with --mcp-config FILE; troupe mcp list shows all servers.`,
      ...problems,
    ].join(" "),
  );
}

/** Returns the secrets in these entries, recognized by their names. */
export function secretsIn(mcpServers: Readonly<Record<string, unknown>>, env: Env): readonly string[] {
  return parseMcpServers({ mcpServers }, { file: "", env }).servers.flatMap(secretsOf);
}

function secretsOf(server: McpServer): readonly string[] {
  switch (server.type) {
    case "stdio":
      return credentialsIn(server.env);
    case "http":
    case "sse": {
      const tokens = Object.entries(server.headers).map(([name, value]) => [
        `${name}_TOKEN`,
        value.replace(/^(?:bearer|basic|token)\s+/i, ""),
      ]);
      return credentialsIn(Object.fromEntries(tokens));
    }
    default:
      return server satisfies never;
  }
}
