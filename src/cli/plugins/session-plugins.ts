import { existsSync } from "node:fs";
import { parse } from "node:path";
import { diskFiles } from "../../context/disk-files.ts";
import { type Plugin, readPlugin } from "../../context/plugins/read-plugin.ts";
import { skillGrants } from "../../context/skills/grants.ts";
import { skillLibrary } from "../../context/skills/library.ts";
import type { Skill } from "../../context/skills/skill.ts";
import { isObject } from "../../lib/objects.ts";
import { printable } from "../../lib/printable.ts";
import { type Grant, grantsOf } from "../../policy/trust/grants.ts";
import { agreementFor } from "../../policy/trust/trust-store.ts";
import { checkLeaves } from "../../settings/leaves.ts";
import type { SettingsFile } from "../../settings/settings-file.ts";
import { settingsDirs } from "../directories.ts";
import type { CliIO } from "../io.ts";
import { findPlugin, type MarketplaceSearch } from "./marketplaces.ts";

export interface SessionPlugins {
  /** Directories, absolute. */
  readonly dirs: readonly string[];
  /** Their hooks and MCP servers, as settings of the user, who agreed to them. */
  readonly files: readonly SettingsFile[];
  /** What each may run, and what was left out. */
  readonly notes: readonly string[];
  /** Of the notes, what was left out. */
  readonly problems: readonly string[];
}

/** A plug-in with what it would run. */
export interface PluginParts {
  readonly plugin: Plugin;
  readonly files: readonly SettingsFile[];
  readonly grants: readonly Grant[];
}

/**
 * Reads the plug-ins of --plugin-dir and those that settings enable. What the first run is agreed to, as the user names
 * them, and shown; what the others run counts if the user agreed to exactly that when enabling them.
 */
export async function openPlugins(
  given: readonly string[],
  enabled: readonly string[],
  { search, io }: { readonly search: MarketplaceSearch; readonly io: CliIO },
): Promise<SessionPlugins> {
  const said = given.map((text) => ({ text, file: "--plugin-dir" }));
  const { dirs, notes } = await settingsDirs(said, io);
  const parts = await Promise.all([...new Set(dirs)].map(pluginParts));
  const flagged = parts.map((one) => ({ ...one, left: null }));
  const found = await Promise.all(enabled.map((id) => enabledPlugin(id, search)));
  const all = [...flagged, ...found.flatMap((one) => ("problem" in one ? [] : [one]))];
  const counted = all.filter(({ left }) => left === null);
  const problems = [
    ...notes,
    ...found.flatMap((one) => ("problem" in one ? [one.problem] : [])),
    ...all.flatMap(({ plugin, left }) => [...plugin.notes, ...(left ?? [])]),
  ];
  return {
    dirs: [...new Set(counted.map(({ plugin }) => plugin.dir))],
    files: counted.flatMap(({ files }) => files),
    problems,
    notes: [
      ...problems,
      ...counted.flatMap(({ plugin, files }) => {
        const runs = runsOf(files);
        return runs.length === 0
          ? []
          : [`The plug-in ${plugin.name} (${plugin.dir}) runs ${runs.join(", ")}.`];
      }),
    ],
  };
}

type EnabledPlugin = PluginParts & { readonly left: readonly string[] | null };

async function enabledPlugin(
  id: string,
  search: MarketplaceSearch,
): Promise<EnabledPlugin | { readonly problem: string }> {
  const found = findPlugin(id, search);
  if ("problem" in found) return found;
  if (!existsSync(found.dir))
    return {
      problem: `The plug-in ${printable(id)} is not here; get it with troupe plugin install ${printable(id)}.`,
    };
  const parts = await pluginParts(found.dir);
  const agreement = parts.grants.length === 0 ? null : await agreementFor(search.home, found.dir);
  const agreed = agreement?.type === "read" ? agreement.agreed : null;
  const fresh = parts.grants.filter(({ digest }) => !agreed?.has(digest));
  const left = `You have not agreed to what the plug-in ${printable(id)} runs (${fresh.map(({ words }) => words).join("; ")}), so it is left out; troupe plugin enable ${printable(id)} asks.`;
  return { ...parts, left: fresh.length === 0 ? null : [left] };
}

/** Reads a plug-in and what it would run. */
export async function pluginParts(dir: string): Promise<PluginParts> {
  const plugin = readPlugin(dir, diskFiles);
  const files = [
    ...plugin.hooks.map(({ file, value }) => settingsOf(file, dir, { hooks: value })),
    ...plugin.servers.map(({ file, value }) =>
      settingsOf(file, dir, { mcpServers: prefixed(plugin.name, value) }),
    ),
  ];
  // As if a project had them: that is what needs an agreement.
  const scope = "project" as const;
  const asProject = files.map((file) => ({
    ...{ ...file, scope },
    leaves: file.leaves.map((leaf) => ({ ...leaf, scope })),
  }));
  return { plugin, files, grants: [...grantsOf(asProject), ...skillGrants(await skillsOf(dir))] };
}

/** Returns the plug-in's own skills and commands; what their links lead to is not read. */
async function skillsOf(dir: string): Promise<readonly Skill[]> {
  const { root } = parse(dir);
  const where = { cwd: root, homedir: root, home: root, managed: root, shipped: false, plugins: [dir] };
  const may = { trusted: () => false, agreed: () => false, denied: () => false };
  const { all } = await skillLibrary({ ...where, ...may }, diskFiles).look();
  return all.filter(({ plugin }) => plugin === dir);
}

function settingsOf(file: string, plugin: string, value: Readonly<Record<string, unknown>>): SettingsFile {
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
