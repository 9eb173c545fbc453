import { join, win32 } from "node:path";
import type { Scope } from "./rules.ts";

/** The scopes that have a file; later ones win where only one value can count (A18.2). */
export type FileScope = Extract<Scope, "enterprise" | "user" | "project" | "local">;

export interface SettingsPlace {
  readonly scope: FileScope;
  /** Absolute. */
  readonly file: string;
}

export interface WhereSettingsAre {
  readonly homedir: string;
  /** The project's root: the folder the session is about. */
  readonly root: string;
  /** The enterprise's file; the platform's where absent. No variable sets it: that would be a way around it. */
  readonly managed?: string;
}

/** Every file of settings, in the order in which they are merged (A18.1). */
export function settingsPlaces({ homedir, root, managed }: WhereSettingsAre): readonly SettingsPlace[] {
  return [
    { scope: "enterprise", file: managed ?? managedSettingsFile(process.platform) },
    { scope: "user", file: join(homedir, ".claude", "settings.json") },
    { scope: "project", file: join(root, ".claude", "settings.json") },
    { scope: "local", file: join(root, ".claude", "settings.local.json") },
  ];
}

/** Where administrators put settings that users cannot change; the place people's existing tools use. */
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

/** The files of the folder itself: what they say can be somebody else's. */
export function isForeign(scope: Scope): boolean {
  return scope === "project" || scope === "local";
}
