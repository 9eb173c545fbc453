import { diskFiles } from "../../context/disk-files.ts";
import { readPlugin } from "../../context/plugins/read-plugin.ts";
import { isObject } from "../../lib/objects.ts";
import { printable } from "../../lib/printable.ts";
import { checkLeaves } from "../../settings/leaves.ts";
import type { SettingsFile } from "../../settings/settings-file.ts";
import { settingsDirs } from "../directories.ts";
import type { CliIO } from "../io.ts";

export interface SessionPlugins {
  /** Directories, absolute. */
  readonly dirs: readonly string[];
  /** Their hooks and MCP servers, as settings of the user, who named the plug-in. */
  readonly files: readonly SettingsFile[];
  /** What each may run, and what was left out. */
  readonly notes: readonly string[];
}

/** Reads the plug-ins of --plugin-dir. The user names each of them, so what it runs is agreed to, and shown. */
export async function flaggedPlugins(given: readonly string[], io: CliIO): Promise<SessionPlugins> {
  const said = given.map((text) => ({ text, file: "--plugin-dir" }));
  const { dirs, notes } = await settingsDirs(said, io);
  const plugins = [...new Set(dirs)].map((dir) => readPlugin(dir, diskFiles));
  const read = plugins.map((plugin) => {
    const files = [
      ...plugin.hooks.map(({ file, value }) => fileOf(file, plugin.dir, { hooks: value })),
      ...plugin.servers.map(({ file, value }) =>
        fileOf(file, plugin.dir, { mcpServers: prefixed(plugin.name, value) }),
      ),
    ];
    return { plugin, files, runs: runsOf(files) };
  });
  return {
    dirs: plugins.map(({ dir }) => dir),
    files: read.flatMap(({ files }) => files),
    notes: [
      ...notes,
      ...plugins.flatMap((plugin) => plugin.notes),
      ...read.flatMap(({ plugin, runs }) =>
        runs.length === 0 ? [] : [`The plug-in ${plugin.name} (${plugin.dir}) runs ${runs.join(", ")}.`],
      ),
    ],
  };
}

function fileOf(file: string, plugin: string, value: Readonly<Record<string, unknown>>): SettingsFile {
  const from = { scope: "user", file } as const;
  const { leaves, problems } = checkLeaves(value, from);
  const warnings = problems.map(
    ({ path, message }) => `${file}: ${printable(path.join("."))} ${message}; it is left out.`,
  );
  const own = leaves.map((leaf) => ({ ...leaf, plugin }));
  return { ...from, leaves: own, warnings, cautious: false, identity: null };
}

/** Servers of plug-ins never take the name of another server. */
function prefixed(plugin: string, servers: unknown): Readonly<Record<string, unknown>> {
  const entries = isObject(servers) ? Object.entries(servers) : [];
  return Object.fromEntries(entries.map(([name, value]) => [`plugin:${plugin}:${name}`, value]));
}

/** Names what these settings run. */
function runsOf(files: readonly SettingsFile[]): readonly string[] {
  const leaves = files.flatMap((file) => file.leaves);
  return leaves.flatMap(({ path, value }) => {
    if (path[0] === "mcpServers") return [`the MCP server ${printable(path.at(-1) ?? "")}`];
    const events = isObject(value) ? Object.keys(value) : [];
    return events.length === 0 ? [] : [`hooks at ${events.join(", ")}`];
  });
}
