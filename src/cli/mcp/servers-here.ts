import { nearName } from "../../lib/near-name.ts";
import { type Mcp, openMcp } from "../../mcp/open-mcp.ts";
import { limitsFromEnvironment, type McpServer } from "../../mcp/server.ts";
import { settingsReader } from "../../policy/trust/trust.ts";
import type { Leaf } from "../../settings/leaves.ts";
import { settingsPaths } from "../../settings/paths.ts";
import { schema } from "../../settings/schema.ts";
import { readServerFiles } from "../../settings/server-files.ts";
import { readSettingsFiles } from "../../settings/settings-file.ts";
import type { Arguments } from "../arguments.ts";
import type { Context } from "../command.ts";
import { settingsSource, workingDir } from "../directories.ts";
import { quoted, UsageError } from "../exit-codes.ts";
import { sessionFlags } from "../session-flags.ts";
import { pluginsHere } from "../session-settings.ts";
import { serverLeaves } from "./configured-servers.ts";

/** Milliseconds for servers to start, if no session follows. */
export const READY_MS = 15_000;

/** The servers that files name for a directory. */
export interface ServersHere {
  readonly root: string;
  readonly home: string;
  readonly warnings: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of all files, also those that are not used. */
  readonly all: readonly Leaf[];
  /** The servers that are started. */
  readonly counted: readonly Leaf[];
  readonly trusted: boolean;
}

export async function serversHere(args: Arguments, { io }: Pick<Context, "io">): Promise<ServersHere> {
  const root = await workingDir(args, io);
  const plugins = await pluginsHere(args.value(sessionFlags.pluginDir), io, root);
  const source = { ...settingsSource(io, root), plugins: plugins.files };
  const [read, settings, servers] = await Promise.all([
    settingsReader(source, args.value(sessionFlags.trust)).read(),
    readSettingsFiles(settingsPaths(source)),
    readServerFiles(source),
  ]);
  const isServer = ({ setting }: Leaf) => setting === schema.mcpServers;
  return {
    ...{ root, home: source.home, warnings: [...plugins.notes, ...read.warnings] },
    env: { ...io.env, ...read.settings.env },
    counted: serverLeaves(read.leaves),
    trusted: read.trust.type !== "untrusted",
    all: [...settings, ...servers, ...source.plugins].flatMap(({ leaves }) => leaves.filter(isServer)),
  };
}

/** The error for a name that no server has. */
export function unknownServer(name: string, known: readonly string[]): UsageError {
  const guess = nearName(name, known);
  const advice = guess ? `did you mean ${guess}?` : "troupe mcp list shows all servers.";
  return new UsageError(`There is no MCP server ${quoted(name)}; ${advice}`);
}

/** Starts servers without a session. */
export function startServers(
  servers: readonly McpServer[],
  {
    clock,
    env,
    cwd,
    home,
    onWarning = () => {},
  }: {
    readonly clock: Context["io"]["clock"];
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly cwd: string;
    readonly home: string;
    readonly onWarning?: (message: string) => void;
  },
): Mcp {
  return openMcp({
    ...{ servers, clock, env, cwd, home, roots: [cwd], limits: limitsFromEnvironment(env) },
    outputs: {
      next() {
        throw new Error("no tool is called");
      },
    },
    onWarning,
  });
}
