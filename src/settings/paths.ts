import { join, win32 } from "node:path";
import type { Scope } from "./permissions.ts";

/** The scopes that have a file. If only one value can count, the last one does (A18.2). */
export type FileScope = Extract<Scope, "enterprise" | "user" | "project" | "local">;

export interface SettingsPath {
  readonly scope: FileScope;
  /** Absolute. */
  readonly file: string;
}

export interface SettingsRoots {
  readonly homedir: string;
  /** The project's root: the directory of the session. */
  readonly root: string;
  /** The organisation's file; the platform's if absent. No variable sets it: that would be a way around it. */
  readonly managed?: string;
}

/** Returns every settings file, in the order in which they are merged (A18.1). */
export function settingsPaths({ homedir, root, managed }: SettingsRoots): readonly SettingsPath[] {
  return [
    { scope: "enterprise", file: managed ?? managedSettingsFile(process.platform) },
    { scope: "user", file: join(homedir, ".claude", "settings.json") },
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
