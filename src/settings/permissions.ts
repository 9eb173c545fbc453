import * as z from "zod/mini";
import { oneOf, type SettingKind } from "./setting.ts";

/** Where a rule or a setting comes from; a later scope does not undo the restrictions of an earlier one. */
export type Scope = "enterprise" | "user" | "project" | "local" | "cli" | "session" | "library";

export type Behaviour = "allow" | "ask" | "deny";

/** What is allowed without asking. */
export type PermissionMode = "default" | "acceptEdits" | "plan" | "bypassPermissions" | "dontAsk";

/** One permission rule with its origin, so that each decision can name the rule and its file. */
export interface Rule {
  /** As written, such as `Bash(git push:*)`. */
  readonly text: string;
  readonly behaviour: Behaviour;
  readonly scope: Scope;
  /** The settings file that contains it, if one does. */
  readonly file?: string;
}

/** From the narrowest to the widest: what an earlier mode allows without a question, a later one does too. */
const NARROWEST_FIRST: readonly PermissionMode[] = [
  "plan",
  "dontAsk",
  "default",
  "acceptEdits",
  "bypassPermissions",
];

/** Returns how much a mode allows; what is not a mode counts as the widest. */
export function modeWidth(mode: unknown): number {
  const modes: readonly unknown[] = NARROWEST_FIRST;
  const at = modes.indexOf(mode);
  return at < 0 ? NARROWEST_FIRST.length : at;
}

export function isWider(mode: PermissionMode, than: PermissionMode): boolean {
  return modeWidth(mode) > modeWidth(than);
}

export function narrower(mode: PermissionMode, other: PermissionMode = mode): PermissionMode {
  return isWider(mode, other) ? other : mode;
}

/** Other names of modes (A22.25). `manual` is what Claude Code calls its default one. */
export const MODE_NAMES: Readonly<Record<string, PermissionMode>> = {
  bypass: "bypassPermissions",
  manual: "default",
};

export function modes(): SettingKind<PermissionMode> {
  const { what, schema } = oneOf(NARROWEST_FIRST);
  const named = z.transform((value: unknown) =>
    typeof value === "string" && Object.hasOwn(MODE_NAMES, value) ? MODE_NAMES[value] : value,
  );
  return { what, schema: z.pipe(named, schema) };
}

export interface ModeLimits {
  /** The mode to start in; absent if no file sets one. */
  readonly mode?: PermissionMode;
  /** The organisation sets the mode: no wider one may be chosen. */
  readonly modeLocked: boolean;
  /** `bypassPermissions` may not be chosen. */
  readonly bypassDisabled: boolean;
}

/** Returns why settings do not allow this mode, as a sentence, or null if they do. For flags and for `/mode`. */
export function whyNotMode(
  wanted: PermissionMode,
  { mode = "default", modeLocked, bypassDisabled }: ModeLimits,
): string | null {
  if (bypassDisabled && wanted === "bypassPermissions")
    return "The mode bypassPermissions is switched off in your settings (permissions.disableBypassPermissionsMode); choose another one.";
  if (modeLocked && isWider(wanted, mode))
    return `Your organisation's settings allow no wider mode than ${mode}, so ${wanted} cannot be chosen; choose ${mode} or a stricter one.`;
  return null;
}
