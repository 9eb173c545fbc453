import { realpath } from "node:fs/promises";
import { parse, relative } from "node:path";
import { diskFiles } from "../../context/files.ts";
import { type Plugin, type PluginSource, readPlugin } from "../../context/plugins/read-plugin.ts";
import { skillGrants } from "../../context/skills/grants.ts";
import { skillLibrary } from "../../context/skills/library.ts";
import type { Skill } from "../../context/skills/skill.ts";
import { troupeHome } from "../../journal/paths.ts";
import { isObject } from "../../lib/json.ts";
import { printable } from "../../lib/text.ts";
import { type Grant, grantsOf } from "../../policy/trust/grants.ts";
import { agreementFor, trustFolder } from "../../policy/trust/trust-store.ts";
import { checkLeaves } from "../../settings/leaves.ts";
import { userPlaces } from "../../settings/paths.ts";
import type { SettingsFile } from "../../settings/settings-file.ts";
import type { CliIO } from "../process-io.ts";
import type { FoundPlugin } from "./marketplaces.ts";

/** A plug-in with what it would run. */
export interface PluginParts {
  readonly plugin: Plugin;
  readonly files: readonly SettingsFile[];
  readonly grants: readonly Grant[];
}

/** Reads a plug-in and what it would run. */
export async function pluginParts(source: PluginSource): Promise<PluginParts> {
  const plugin = readPlugin(source, diskFiles);
  const { dir, name } = plugin;
  const files = [
    ...plugin.hooks.map(({ file, value }) => settingsOf(file, dir, { hooks: value })),
    ...plugin.servers.map(({ file, value }) => settingsOf(file, dir, { mcpServers: prefixed(name, value) })),
  ];
  // As if a project had them: that is what needs an agreement.
  const scope = "project" as const;
  const asProject = files.map((file) => ({
    ...{ ...file, scope },
    leaves: file.leaves.map((leaf) => ({ ...leaf, scope })),
  }));
  return { plugin, files, grants: [...grantsOf(asProject), ...skillGrants(await skillsOf(source))] };
}

/** Returns the plug-in's own skills and commands; what their links lead to is not read. */
async function skillsOf(source: PluginSource): Promise<readonly Skill[]> {
  const { root } = parse(source.dir);
  const where = {
    cwd: root,
    ...userPlaces({}, root),
    home: root,
    managed: root,
    shipped: false,
    plugins: [source],
  };
  const may = { trusted: () => false, agreed: () => false, denied: () => false };
  const { all } = await skillLibrary({ ...where, ...may }, diskFiles).look();
  return all.filter(({ plugin }) => plugin === source.dir);
}

function settingsOf(file: string, plugin: string, value: Readonly<Record<string, unknown>>): SettingsFile {
  const from = { scope: "user", file } as const;
  const { leaves, problems } = checkLeaves(value, from);
  const warnings = problems.map(
    ({ path, message }) => `${file}: ${printable(path.join("."))} ${message}; it is left out.`,
  );
  const own = leaves.map((leaf) => ({ ...leaf, plugin: { CLAUDE_PLUGIN_ROOT: plugin } }));
  return { ...from, leaves: own, warnings, cautious: false, identity: null };
}

/** Servers of plug-ins never take the name of another server. */
function prefixed(plugin: string, servers: unknown): Readonly<Record<string, unknown>> {
  const entries = isObject(servers) ? Object.entries(servers) : [];
  return Object.fromEntries(entries.map(([name, value]) => [`plugin:${plugin}:${name}`, value]));
}

/** A plug-in of a marketplace that may be agreed to. */
export interface Agreeable extends FoundPlugin {
  readonly id: string;
}

/** In every agreement: a plug-in that runs nothing can be agreed to, too. */
const ASKED = "asked";

/**
 * Returns the parts that the user has not agreed to, or null if they were never asked about this plug-in. The agreement
 * is about this plug-in in this directory, and in a clone about these files: what a hook starts is one of them.
 */
export async function notAgreed(
  io: CliIO,
  plugin: Agreeable,
  grants: readonly Grant[],
): Promise<readonly Grant[] | null> {
  const agreement = await agreementFor(homeOf(io), await agreementKey(plugin));
  const agreed = agreement.type === "read" ? agreement.agreed : null;
  if (!agreed?.has(ASKED)) return null;
  const files = await filesDigest(io, plugin);
  return files !== null && agreed.has(files) ? grants.filter(({ digest }) => !agreed.has(digest)) : grants;
}

/** Records what the user agrees to of a plug-in, instead of what they agreed to before; null if they do no longer. */
export async function agreeToPlugin(
  io: CliIO,
  plugin: Agreeable,
  grants: readonly Grant[] | null,
): Promise<void> {
  const digests = grants === null ? [] : [ASKED, await filesDigest(io, plugin)];
  const agreed = [...digests.flatMap((digest) => (digest === null ? [] : [{ digest }])), ...(grants ?? [])];
  const problem = await trustFolder(homeOf(io), await agreementKey(plugin), agreed, io.clock);
  if (problem !== null) throw new Error(problem);
}

function homeOf(io: CliIO): string {
  return troupeHome(io.env, io.homedir);
}

/** Not a path, so trusting a directory never agrees to a plug-in in it. */
async function agreementKey({ id, dir }: Agreeable): Promise<string> {
  return `plug-in ${id} ${await realpath(dir).catch(() => dir)}`;
}

/**
 * Returns what stands for the plug-in's files, or null if git does not know. Those in a directory can change at any time,
 * so the agreement is not about them.
 */
async function filesDigest(io: CliIO, { dir, clone, marketplace }: FoundPlugin): Promise<string | null> {
  const from = clone ?? marketplace.clone;
  if (from === null) return ASKED;
  const { revisionOf } = await import("./clone.ts");
  const below = relative(await realpath(from.to), await realpath(dir));
  const revision = await revisionOf(io, from.to, `HEAD:${below}`);
  return revision === null ? null : `files ${revision}`;
}
