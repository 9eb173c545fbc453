import { release } from "node:os";
import { rulesFrom } from "../../features/gate/session-rules.ts";
import { troupeHome } from "../../journal/paths.ts";
import { engineOf, type PolicyEngine } from "../../policy/engine/engine.ts";
import type { Hook } from "../../policy/hooks/hooks.ts";
import { parseHooks } from "../../policy/hooks/parse.ts";
import { whyNotAsRoot } from "../../policy/root-bypass.ts";
import { findBuilder } from "../../policy/sandbox/builder.ts";
import { defaultSandboxSettings, type SandboxSettings } from "../../policy/sandbox/sandbox.ts";
import { platformShell } from "../../processes/platform-shell.ts";
import { whyNotMode } from "../../settings/mode-of.ts";
import type { PermissionMode, Rule } from "../../settings/rules.ts";
import { extraFolders } from "../extra-folders.ts";
import { existingFolder } from "../folders.ts";
import type { CliIO } from "../io.ts";
import { sessionSettings } from "../session-settings.ts";
import { UsageError } from "../usage-error.ts";

/** What a person gave on the command line. */
export interface Given {
  readonly cwd: string | undefined;
  readonly addDir: readonly string[];
  readonly mode: PermissionMode | undefined;
  readonly trusts: boolean;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
}

/** All that decides in a session that would be started like this. */
export interface ActiveRules {
  readonly mode: PermissionMode;
  /** Who says the mode. */
  readonly modeFrom: "flag" | "settings" | "default";
  /** The session's folder first; absolute. */
  readonly workspace: readonly [string, ...string[]];
  readonly rules: readonly Rule[];
  /** What is wrong with rules and hooks. */
  readonly problems: readonly string[];
  /** What the person must know of their settings, such as that the folder is not trusted. */
  readonly notes: readonly string[];
  readonly engine: PolicyEngine;
  /** Those that run before a call. */
  readonly hooks: readonly Hook[];
  readonly sandbox: SandboxSettings;
  readonly asksEveryCommand: boolean;
  /** Commands that only read can be confined here. */
  readonly confines: boolean;
  /** What git would run in a folder that nobody has agreed to; null: nothing. */
  foreignGit(folder: string): string | null;
}

/** As a session reads it, but asks nobody and starts nothing. Throws a `UsageError` where none would start. */
export async function activeRules(given: Given, io: CliIO): Promise<ActiveRules> {
  const cwd = await existingFolder("--cwd", given.cwd ?? ".", io.cwd);
  const added = await Promise.all(given.addDir.map((folder) => existingFolder("--add-dir", folder, io.cwd)));
  const home = troupeHome(io.env, io.homedir);
  const { read, reader, notes } = await sessionSettings(io, { cwd, home, trusts: given.trusts });
  const mode = given.mode ?? read.mode ?? "default";
  const { runningAs = { uid: null, contained: false }, env } = io;
  const why =
    (given.mode === undefined ? null : whyNotMode(mode, read)) ?? whyNotAsRoot(mode, { ...runningAs, env });
  if (why !== null) throw new UsageError(why);
  const extra = await extraFolders(read.settings.additionalDirectories, { cwd, homedir: io.homedir });
  const additionalDirs = [...added, ...extra.folders];
  const rules = [
    ...read.rules,
    ...rulesFrom(given.allowedTools, "allow", "cli"),
    ...rulesFrom(given.disallowedTools, "deny", "cli"),
  ];
  const engine = engineOf(rules, {
    ...{ projectRoot: cwd, additionalDirs, home: io.homedir, platform: process.platform },
    shell: platformShell(process.platform, io.env)?.kind ?? "bash",
  });
  const { hooks, problems } = parseHooks(read.hooks);
  const sandbox = { ...defaultSandboxSettings, ...read.settings.sandbox };
  const directories = [cwd, ...additionalDirs];
  const building = { platform: process.platform, kernel: release(), env: io.env, troupeHome: home };
  return {
    ...{ mode, rules, engine },
    modeFrom: given.mode !== undefined ? "flag" : read.mode !== undefined ? "settings" : "default",
    workspace: [cwd, ...additionalDirs],
    problems: [...engine.problems, ...problems],
    notes: [...notes, ...extra.notes],
    hooks: hooks.get("PreToolUse") ?? [],
    sandbox,
    asksEveryCommand: read.settings.askEveryCommand ?? false,
    confines: sandbox.readOnly && typeof findBuilder({ ...building, directories }) !== "string",
    foreignGit: (folder) => reader.foreignGit(folder),
  };
}
