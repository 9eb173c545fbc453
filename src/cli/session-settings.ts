import type { AgentsFlag } from "../context/agents/agents-flag.ts";
import type { AgentLibrary } from "../context/agents/load.ts";
import { troupeHome } from "../journal/paths.ts";
import { type SettingsReader, settingsReader, type TrustedSettings } from "../policy/trust/trust.ts";
import { trustFolder } from "../policy/trust/trust-store.ts";
import { type TrustQuestion, trustQuestion, untrustedNote } from "../policy/trust/trust-text.ts";
import { isProjectScope, settingsPaths } from "../settings/paths.ts";
import { combine, type ReadSettings, type Settings } from "../settings/read-settings.ts";
import { readSettingsFiles } from "../settings/settings-file.ts";
import { agentLibraryIn } from "./agents/session-agents.ts";
import type { Arguments } from "./arguments.ts";
import { whereOf } from "./directories.ts";
import type { CliIO } from "./io.ts";
import { languageServerGrants } from "./language-servers.ts";
import type { SessionPlugins } from "./plugins/session-plugins.ts";
import { sessionFlags } from "./session-flags.ts";
import { skillGrantsIn } from "./skills/session-skills.ts";
import { UsageError } from "./usage-error.ts";

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
  /** What the user must know of them. */
  readonly notes: readonly string[];
}

/** Throws if the organisation allows no rules but its own and a flag allows some. */
export function assertFlagsMayAllow(allowed: readonly string[], { managedRulesOnly }: ReadSettings): void {
  if (managedRulesOnly && allowed.length > 0)
    throw new UsageError(
      "Your organisation's settings allow no permission rules but its own (allowManagedPermissionRulesOnly), so --allowed-tools cannot be used; leave it out.",
    );
}

/** Returns what the settings of the user and of the organisation say of plug-ins. */
export async function pluginSettings(io: CliIO) {
  const paths = settingsPaths(whereOf(io, io.cwd)).filter(({ scope }) => !isProjectScope(scope));
  const { settings } = combine(await readSettingsFiles(paths), false);
  const search = { known: settings.extraKnownMarketplaces, home: troupeHome(io.env, io.homedir) };
  return { search, enabled: settings.enabledPlugins };
}

/**
 * Reads the plug-ins of --plugin-dir and of the user's settings; the code that reads them is loaded only with the first
 * one. Settings of the project enable none.
 */
export async function pluginsHere(args: Arguments, io: CliIO): Promise<SessionPlugins | undefined> {
  const given = args.value(sessionFlags.pluginDir);
  const { search, enabled: chosen } = await pluginSettings(io);
  const enabled = Object.entries(chosen).flatMap(([id, on]) => (on ? [id] : []));
  if (given.length === 0 && enabled.length === 0) return undefined;
  const { openPlugins } = await import("./plugins/session-plugins.ts");
  return openPlugins(given, enabled, { search, io });
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
    plugins,
  }: {
    readonly cwd: string;
    readonly home: string;
    readonly trusts: boolean;
    readonly askTrust?: AskTrust | undefined;
    readonly agentsFlag?: AgentsFlag | undefined;
    readonly plugins?: SessionPlugins | undefined;
  },
): Promise<SessionSettings> {
  const agents = await agentLibraryIn(io, cwd, agentsFlag, {
    trusted: () => trusts || read?.trust.type === "trusted",
    agreed: (digest) => reader.agreed(digest),
    plugins: plugins?.dirs ?? [],
  });
  const more = async () => [...(await skillGrantsIn(io, { cwd, home })), ...(await agents.grants())];
  const languageServers = (settings: Settings) => languageServerGrants(io, cwd, settings);
  const reader = settingsReader(
    { ...whereOf(io, cwd), home, more, languageServers, plugins: plugins?.files ?? [] },
    trusts,
  );
  let read: TrustedSettings | undefined;
  read = await reader.read();
  const notes: string[] = [];
  const { fresh: servers, grants: serverGrants } = read.languageServers;
  const question = trustQuestion(cwd, read.trust, servers);
  if (question !== null && (await askTrust?.(question))) {
    const others = read.trust.type === "nothing-to-grant" ? [] : read.trust.grants;
    const problem = await trustFolder(home, cwd, [...others, ...serverGrants], io.clock);
    if (problem !== null) notes.push(`The directory is trusted for this session only: ${problem}`);
    reader.trustForNow();
    read = await reader.read();
  }
  const left = untrustedNote(read.trust);
  return {
    root: cwd,
    read,
    reader,
    agents,
    notes: [...read.warnings, ...notes, ...(left === null ? [] : [left])],
  };
}
