import type { AgentsFlag } from "../context/agents/from-fields.ts";
import type { AgentLibrary } from "../context/agents/load.ts";
import type { LanguageServersOption } from "../features/languages/index.ts";
import { fleetKeyFile, troupeHome } from "../journal/paths.ts";
import { expandHome } from "../lib/paths.ts";
import { printable } from "../lib/text.ts";
import type { FoundServers, LanguageServer } from "../lsp/find-servers.ts";
import { denyingFiles } from "../policy/sandbox/denied-paths.ts";
import type { Grant } from "../policy/trust/grants.ts";
import { type SettingsReader, settingsReader, type TrustedSettings } from "../policy/trust/trust.ts";
import { trustFolder } from "../policy/trust/trust-store.ts";
import { type TrustQuestion, trustQuestion, untrustedNote } from "../policy/trust/trust-text.ts";
import { settingsPaths } from "../settings/paths.ts";
import { combine, type ReadSettings, type Settings } from "../settings/read-settings.ts";
import { schema } from "../settings/schema.ts";
import type { Setting } from "../settings/setting.ts";
import { readSettingsFiles } from "../settings/settings-file.ts";
import { agentLibraryIn } from "./agents/session-agents.ts";
import { whereOf } from "./directories.ts";
import { UsageError } from "./exit-codes.ts";
import type { ChosenPlugins, SessionPlugins } from "./plugins/session-plugins.ts";
import type { CliIO } from "./process-io.ts";
import { skillGrantsIn } from "./skills.ts";

/** Asks the user whether the directory is trusted; true only for a yes. */
export type AskTrust = (question: TrustQuestion) => Promise<boolean>;

export interface SessionSettings {
  /** The directory that they are about. */
  readonly root: string;
  readonly read: TrustedSettings;
  /** Reads them again. */
  readonly reader: SettingsReader;
  /** The agent types of its files, as far as the user has agreed to them. */
  readonly agents: AgentLibrary;
  readonly plugins: SessionPlugins;
  /** What the user must know of them. */
  readonly notes: readonly string[];
}

/** Throws if the organisation allows no rules but its own and a flag allows some. */
export function assertFlagsMayAllow(
  allowed: readonly string[],
  { managedRulesOnly, settings }: ReadSettings,
): void {
  if (settings.sandbox.managedDomainsOnly && allowed.some((rule) => /^\s*WebFetch\b/.test(rule)))
    throw new UsageError(
      "Your organisation's settings allow no domains but its own (allowManagedDomainsOnly), so --allowed-tools cannot allow WebFetch; leave it out.",
    );
  if (managedRulesOnly && allowed.length > 0)
    throw new UsageError(
      "Your organisation's settings allow no permission rules but its own (allowManagedPermissionRulesOnly), so --allowed-tools cannot be used; leave it out.",
    );
}

/**
 * Returns what settings say of plug-ins. A project proposes: the user's and the organisation's settings come first, and
 * their marketplaces keep their places.
 */
export async function readChosenPlugins(io: CliIO, root: string): Promise<ChosenPlugins> {
  const files = await readSettingsFiles(settingsPaths(whereOf(io, root)));
  const { settings, proposed } = combine(files, false);
  const byName = (setting: Setting<unknown>) =>
    Object.fromEntries(
      proposed.flatMap((leaf) => (leaf.setting === setting ? [[leaf.path.at(-1) ?? "", leaf.value]] : [])),
    );
  const ofProject = Object.entries(byName(schema.enabledPlugins));
  return {
    search: {
      ...{ known: settings.extraKnownMarketplaces, proposed: byName(schema.extraKnownMarketplaces) },
      policy: {
        blocked: settings.blockedMarketplaces,
        only: settings.strictKnownMarketplaces,
        unreadable: files.find(({ scope, cautious }) => scope === "enterprise" && cautious)?.file ?? null,
      },
      ...{ home: troupeHome(io.env, io.homedir), homedir: io.homedir, root },
    },
    enabled: settings.enabledPlugins,
    configs: settings.pluginConfigs,
    proposed: ofProject.flatMap(([id, on]) =>
      on === true && !Object.hasOwn(settings.enabledPlugins, id) ? [id] : [],
    ),
    given: settings.pluginDirs.map(({ text, file }) => ({ text, file, from: root })),
  };
}

/**
 * Reads the plug-ins that flags and settings name; the code that reads them is loaded only with the first one. Asks about
 * those that the user has not agreed to.
 */
export async function pluginsHere(
  pluginDirs: readonly string[],
  io: CliIO,
  root: string,
  ask?: AskTrust,
): Promise<SessionPlugins> {
  const chosen = await readChosenPlugins(io, root);
  const flags = pluginDirs.map((text) => ({ text, file: "--plugin-dir", from: io.cwd }));
  const given = [...flags, ...chosen.given];
  const isAny = given.length + chosen.proposed.length > 0 || Object.values(chosen.enabled).includes(true);
  if (!isAny) return { sources: [], files: [], notes: [], problems: [] };
  const { openPlugins } = await import("./plugins/session-plugins.ts");
  return openPlugins({ ...chosen, given }, io, ask && ((text) => ask({ text, all: text })));
}

/** Reads the settings of a session in `cwd`. Asks whether the directory is trusted if a user can answer. */
export async function sessionSettings(
  io: CliIO,
  {
    cwd,
    home,
    trusts,
    askTrust,
    agentsFlag,
    pluginDirs = [],
  }: {
    readonly cwd: string;
    readonly home: string;
    readonly trusts: boolean;
    readonly askTrust?: AskTrust | undefined;
    readonly agentsFlag?: AgentsFlag | undefined;
    /** --plugin-dir. */
    readonly pluginDirs?: readonly string[];
  },
): Promise<SessionSettings> {
  const plugins = await pluginsHere(pluginDirs, io, cwd, askTrust);
  const agents = await agentLibraryIn(io, cwd, agentsFlag, {
    trusted: () => trusts || read?.trust.type === "trusted",
    agreed: (digest) => reader.agreed(digest),
    plugins: plugins.sources,
  });
  const more = async () => [...(await skillGrantsIn(io, { cwd, home })), ...(await agents.grants())];
  const languageServers = (settings: Settings) => languageServerGrants(io, cwd, settings);
  const source = { ...whereOf(io, cwd), home, more, languageServers, plugins: plugins.files };
  const reader = withFleetKey(settingsReader(source, trusts), { home, homedir: io.homedir });
  let read: TrustedSettings | undefined;
  read = await reader.read();
  const notes: string[] = [];
  const { fresh: servers, grants: serverGrants } = read.languageServers;
  const question = trustQuestion(cwd, read.trust, servers);
  const answer = question === null ? undefined : await askTrust?.(question);
  if (answer) {
    const others = read.trust.type === "nothing-to-grant" ? [] : read.trust.grants;
    const problem = await trustFolder(home, cwd, [...others, ...serverGrants], io.clock);
    if (problem !== null) notes.push(`The directory is trusted for this session only: ${problem}`);
    reader.trustForNow();
    read = await reader.read();
  }
  // Who has just said no has read what is left out.
  const left = answer === undefined ? untrustedNote(read.trust) : null;
  return {
    root: cwd,
    ...{ read, reader, agents, plugins },
    notes: [...plugins.notes, ...read.warnings, ...notes, ...(left === null ? [] : [left])],
  };
}

/** Each reading has the path of the fleet's key and denies it, so that a later one does not differ from the first by that. */
function withFleetKey(
  reader: SettingsReader,
  { home, homedir }: { readonly home: string; readonly homedir: string },
): SettingsReader {
  return {
    ...reader,
    async read() {
      const read = await reader.read();
      const { sandbox, runners: set } = read.settings;
      const runners = set.key === undefined ? set : { ...set, key: expandHome(set.key, homedir) };
      const denied = denyingFiles(sandbox, [fleetKeyFile(home), runners.key]);
      return { ...read, settings: { ...read.settings, runners, sandbox: denied } };
    },
  };
}

type Said = Pick<Settings, "languageServers" | "env">;

/** Returns what trusting a directory would let agents do with the language servers found there. */
export async function languageServerGrants(io: CliIO, cwd: string, said: Said): Promise<readonly Grant[]> {
  const { servers } = await found(io, cwd, said);
  return servers.map(({ language, name, origin, digest }) => ({
    words:
      origin === "project"
        ? `start ${printable(name)} of this directory, for ${printable(language)}`
        : `let ${printable(name)} (on your PATH) load code of this directory, for ${printable(language)}`,
    digest,
    group: "servers",
    languageServer: true,
  }));
}

/** The language servers of a session. `agreed`: the user has agreed to what this digest stands for. */
export async function languageServersHere(
  io: CliIO,
  cwd: string,
  said: Said,
  agreed: (digest: string) => boolean,
): Promise<{ readonly option: LanguageServersOption; readonly notes: readonly string[] }> {
  const { servers, unserved, problems } = await found(io, cwd, said);
  const mayStart = ({ digest }: LanguageServer) => agreed(digest);
  return {
    option: {
      servers: servers.filter(mayStart),
      unserved,
      untrusted: servers.filter((server) => !mayStart(server)).map(({ name }) => name),
    },
    notes: problems,
  };
}

async function found(io: CliIO, root: string, { languageServers, env }: Said): Promise<FoundServers> {
  const { findLanguageServers } = await import("../lsp/find-servers.ts");
  return findLanguageServers({ root, path: { ...io.env, ...env }["PATH"], setting: languageServers });
}
