import { join, resolve, win32 } from "node:path";
import { expandHome } from "../lib/paths.ts";
import type { Scope } from "./permissions.ts";

/** The scopes that have a file. If only one value can count, the last one does (A18.2). */
export type FileScope = Extract<Scope, "enterprise" | "user" | "project" | "local">;

export interface SettingsPath {
  readonly scope: FileScope;
  /** Absolute. */
  readonly file: string;
}

/** Where the user keeps what counts in every directory. Absolute. */
export interface UserPlaces {
  readonly homedir: string;
  /** Settings, agents, skills, commands and memory. */
  readonly claudeDir: string;
  /** The file in which other tools keep the user's MCP servers. */
  readonly claudeFile: string;
}

/** Returns the places that Claude Code uses: `~/.claude` and `~/.claude.json`, or both in `CLAUDE_CONFIG_DIR`. */
export function userPlaces(env: Readonly<Record<string, string | undefined>>, homedir: string): UserPlaces {
  const wanted = env["CLAUDE_CONFIG_DIR"]?.trim();
  const claudeDir = wanted ? resolve(expandHome(wanted, homedir)) : join(homedir, ".claude");
  return { homedir, claudeDir, claudeFile: join(wanted ? claudeDir : homedir, ".claude.json") };
}

export interface SettingsRoots extends UserPlaces {
  /** The project's root: the directory of the session. */
  readonly root: string;
  /** The organisation's file; the platform's if absent. No variable sets it: that would be a way around it. */
  readonly managed?: string;
}

/** Returns every settings file, in the order in which they are merged (A18.1). */
export function settingsPaths({
  claudeDir,
  root,
  managed,
}: Pick<SettingsRoots, "claudeDir" | "root" | "managed">): readonly SettingsPath[] {
  return [
    { scope: "enterprise", file: managed ?? managedSettingsFile(process.platform) },
    { scope: "user", file: join(claudeDir, "settings.json") },
    { scope: "project", file: join(root, ".claude", "settings.json") },
    { scope: "local", file: join(root, ".claude", "settings.local.json") },
  ];
}

/** Returns where administrators put settings that users cannot change: where users' other tools read them. */
export function managedSettingsFile(platform: NodeJS.Platform): string {
  switch (platform) {
    case "darwin":
      return "/Library/Application Support/ClaudeCode/managed-settings.json";
    case "win32":
      return win32.join("C:\\", "Program Files", "ClaudeCode", "managed-settings.json");
    default:
      return "/etc/claude-code/managed-settings.json";
  }
}

/** True for the files of the project itself: another user may have written them. */
export function isProjectScope(scope: Scope): boolean {
  return scope === "project" || scope === "local";
}
