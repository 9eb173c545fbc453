import { release } from "node:os";
import { rulesFrom } from "../../features/gate/session-rules.ts";
import { troupeHome } from "../../journal/paths.ts";
import { engineOf, type PolicyEngine } from "../../policy/engine/engine.ts";
import type { Hook } from "../../policy/hooks/parse-hooks.ts";
import { parseHooks } from "../../policy/hooks/parse-hooks.ts";
import { findBuilder } from "../../policy/sandbox/find-builder.ts";
import { sandboxRules } from "../../policy/sandbox/patterns.ts";
import { defaultSandboxSettings, type SandboxSettings } from "../../policy/sandbox/sandbox.ts";
import { platformShell } from "../../processes/platform-shell.ts";
import { userPlaces } from "../../settings/paths.ts";
import type { PermissionMode, Rule } from "../../settings/permissions.ts";
import type { Arguments } from "../arguments.ts";
import { addedDirs, settingsDirs, workingDir } from "../directories.ts";
import type { CliIO } from "../process-io.ts";
import { sessionFlags as flags } from "../session-flags.ts";
import { assertFlagsMayAllow, sessionSettings } from "../session-settings.ts";
import { chooseMode } from "../session-setup.ts";

/** Everything that decides about calls in a session that would be started like this. */
export interface ActiveRules {
  readonly mode: PermissionMode;
  readonly modeFrom: "flag" | "settings" | "default";
  /** Absolute; the session's directory first. */
  readonly workspace: readonly [string, ...string[]];
  readonly rules: readonly Rule[];
  /** What is wrong with rules and hooks. */
  readonly problems: readonly string[];
  /** What the user must know of the settings, such as that the directory is not trusted. */
  readonly notes: readonly string[];
  readonly engine: PolicyEngine;
  /** Those that run before a call. */
  readonly hooks: readonly Hook[];
  readonly sandbox: SandboxSettings;
  readonly asksEveryCommand: boolean;
  /** Commands that only read can be confined here. */
  readonly confines: boolean;
  /** Returns what git would run in a directory without the user's consent, or null. */
  foreignGit(folder: string): string | null;
}

/** Reads them as a session does, but asks no user and starts nothing. Throws a `UsageError` if no session would start. */
export async function activeRules(
  args: Arguments,
  givenMode: PermissionMode | undefined,
  io: CliIO,
): Promise<ActiveRules> {
  const cwd = await workingDir(args, io);
  const home = troupeHome(io.env, io.homedir);
  const { read, reader, notes } = await sessionSettings(io, {
    ...{ cwd, home, trusts: args.value(flags.trust), pluginDirs: args.value(flags.pluginDir) },
  });
  assertFlagsMayAllow(args.value(flags.allowedTools), read);
  const mode = chooseMode(givenMode, read, io);
  const extra = await settingsDirs(read.settings.additionalDirectories, { cwd, homedir: io.homedir });
  const additionalDirs = [...(await addedDirs(args, io)), ...extra.dirs];
  const directories = [cwd, ...additionalDirs] as const;
  const rules = [
    ...read.rules,
    ...sandboxRules(read.settings.sandbox, io.homedir, directories),
    ...rulesFrom(args.value(flags.allowedTools), "allow", "cli"),
    ...rulesFrom(args.value(flags.disallowedTools), "deny", "cli"),
  ];
  const engine = engineOf(rules, {
    ...{ projectRoot: cwd, additionalDirs, home: io.homedir, platform: process.platform },
    configDir: userPlaces(io.env, io.homedir).claudeDir,
    shell: platformShell(process.platform, io.env)?.kind ?? "bash",
  });
  const { hooks, problems } = parseHooks(read.hooks);
  const sandbox = { ...defaultSandboxSettings, ...read.settings.sandbox };
  const building = { platform: process.platform, kernel: release(), env: io.env, troupeHome: home };
  return {
    ...{ mode: mode ?? "default", rules, engine, sandbox },
    modeFrom: givenMode !== undefined ? "flag" : read.mode !== undefined ? "settings" : "default",
    workspace: directories,
    problems: [...engine.problems, ...problems],
    notes: [...notes, ...extra.notes],
    hooks: hooks.get("PreToolUse") ?? [],
    asksEveryCommand: read.settings.askEveryCommand ?? false,
    confines: sandbox.readOnly && typeof findBuilder({ ...building, directories }) !== "string",
    foreignGit: (folder) => reader.foreignGit(folder),
  };
}
