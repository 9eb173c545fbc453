import { troupeHome } from "../../journal/paths.ts";
import { limitsFromEnvironment } from "../../mcp/limits.ts";
import type { Mcp } from "../../mcp/mcp.ts";
import { openMcp } from "../../mcp/open-mcp.ts";
import type { McpServer } from "../../mcp/server.ts";
import { type SettingsSource, settingsReader } from "../../policy/trust/trust.ts";
import { catalogue } from "../../settings/catalogue.ts";
import type { Leaf } from "../../settings/leaves.ts";
import { settingsPlaces } from "../../settings/places.ts";
import { readSettingsFiles } from "../../settings/read-settings.ts";
import { readServerFiles } from "../../settings/server-files.ts";
import type { Arguments } from "../arguments.ts";
import type { Context } from "../command.ts";
import { workingDir } from "../directories.ts";
import { sessionFlags } from "../session-flags.ts";
import { serverLeaves } from "./server-leaves.ts";

/** Milliseconds that servers have to start, where nobody works with them afterwards. */
export const PATIENCE_MS = 15_000;

/** The servers that files name for a folder. */
export interface ServersHere {
  readonly root: string;
  readonly home: string;
  readonly warnings: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of all files, whether they count or not. */
  readonly all: readonly Leaf[];
  /** Those that are started. */
  readonly counted: readonly Leaf[];
  readonly trusted: boolean;
}

export async function serversHere(args: Arguments, { io }: Pick<Context, "io">): Promise<ServersHere> {
  const root = await workingDir(args, io);
  const { homedir, managedSettings } = io;
  const home = troupeHome(io.env, homedir);
  const managed = managedSettings === undefined ? {} : { managed: managedSettings };
  const source: SettingsSource = { homedir, root, home, ...managed };
  const [read, settings, servers] = await Promise.all([
    settingsReader(source, args.value(sessionFlags.trust)).read(),
    readSettingsFiles(settingsPlaces(source)),
    readServerFiles(source),
  ]);
  const isServer = ({ setting }: Leaf) => setting === catalogue.mcpServers;
  return {
    ...{ root, home, warnings: read.warnings },
    env: { ...io.env, ...read.settings.env },
    counted: serverLeaves(read.leaves),
    trusted: read.trust.type !== "untrusted",
    all: [...settings, ...servers].flatMap(({ leaves }) => leaves.filter(isServer)),
  };
}

/** Starts servers that nobody works with: what becomes of each is in its state. */
export function openedServers(
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
        throw new Error("nothing is called");
      },
    },
    onWarning,
  });
}
