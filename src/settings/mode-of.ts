import { catalogue } from "./catalogue.ts";
import type { Leaf } from "./leaves.ts";
import { isWider } from "./modes.ts";
import type { PermissionMode } from "./rules.ts";
import type { SettingsFile } from "./settings-file.ts";

export interface ModeSettings {
  readonly mode?: PermissionMode;
  readonly modeLocked: boolean;
  readonly bypassDisabled: boolean;
  readonly warnings: readonly string[];
}

/**
 * The mode a session starts in. A file that cannot be read may have restricted it, so no other one widens it
 * then (fault 59); where that is the enterprise's, nobody does.
 */
export function modeOf(files: readonly SettingsFile[], leaves: readonly Leaf[]): ModeSettings {
  const said = leaves.findLast(({ setting }) => setting === catalogue.mode);
  const enterprise = files.find(({ scope }) => scope === "enterprise");
  const locks = enterprise?.leaves.some(({ setting }) => setting === catalogue.mode) ?? false;
  const bypassDisabled = leaves.some(({ setting }) => setting === catalogue.disableBypass);
  const unreadable = files.find(({ cautious }) => cautious);
  const fixed = {
    modeLocked: locks || enterprise?.cautious === true,
    bypassDisabled,
  };
  const wanted = catalogue.mode.check.safeParse(said?.value);
  if (said === undefined || !wanted.success) {
    return { ...fixed, ...(fixed.modeLocked ? { mode: "default" } : {}), warnings: [] };
  }
  const mode = wanted.data;
  const instead = (why: string): ModeSettings => ({
    ...fixed,
    mode: "default",
    warnings: [
      `${said.file}: the mode ${mode} does not count, because ${why}; the session starts in default.`,
    ],
  });
  if (unreadable && isWider(mode, "default"))
    return instead(`${unreadable.file} could not be read and may restrict it`);
  if (bypassDisabled && mode === "bypassPermissions")
    return instead("permissions.disableBypassPermissionsMode switches it off");
  return { ...fixed, mode, warnings: [] };
}

/** Why nobody may go to this mode, as a sentence; null where they may. For flags and for `/mode`. */
export function whyNotMode(
  wanted: PermissionMode,
  { mode, modeLocked, bypassDisabled }: Omit<ModeSettings, "warnings">,
): string | null {
  if (bypassDisabled && wanted === "bypassPermissions") {
    return "The mode bypassPermissions is switched off in your settings (permissions.disableBypassPermissionsMode); choose another one.";
  }
  if (modeLocked && isWider(wanted, mode ?? "default")) {
    return `Your organisation's settings allow no wider mode than ${mode ?? "default"}, so ${wanted} cannot be chosen; choose ${mode ?? "default"} or a stricter one.`;
  }
  return null;
}
