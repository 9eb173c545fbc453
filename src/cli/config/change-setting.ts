import { nearName } from "../../lib/near-name.ts";
import { editSettings } from "../../settings/edit-settings.ts";
import { isBelow, type Leaf, parseValue, type SettingsKey, settingsKey } from "../../settings/leaves.ts";
import { type FileScope, settingsPaths } from "../../settings/paths.ts";
import { settings } from "../../settings/schema.ts";
import { settingName } from "../../settings/setting.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { isUntrusted, whereOf } from "../directories.ts";
import { quoted, UsageError } from "../exit-codes.ts";
import type { CliIO } from "../process-io.ts";

/** The scopes whose files a user edits from here. */
export const editedScopes = ["user", "project", "local"] as const satisfies readonly FileScope[];
export type EditedScope = (typeof editedScopes)[number];

export interface SettingChange {
  /** As in docs/settings.md. */
  readonly name: string;
  /** Undefined removes the value. */
  readonly word: string | undefined;
  readonly scope: EditedScope;
}

/** The result of a change. */
export interface SettingChanged {
  readonly message: string;
  /** A sentence on when it takes effect, if not immediately. */
  readonly condition: string | null;
}

type KnownKey = Exclude<SettingsKey, { readonly type: "unknown" }>;

/** Finds a setting or a group of them. Throws a `UsageError` that suggests a near name. */
export function requireKey(name: string): KnownKey {
  const key = settingsKey(name);
  if (key.type !== "unknown") return key;
  const guess = nearName(name, settings.map(settingName));
  throw new UsageError(
    `There is no setting ${quoted(name)}; ${guess ? `did you mean ${guess}?` : "docs/settings.md lists them."}`,
  );
}

export function leavesBelow(key: KnownKey, leaves: readonly Leaf[]): readonly Leaf[] {
  return leaves.filter(({ path }) => isBelow(path, key.path));
}

/** One line for the user; safe for a terminal. */
export function leafLine({ path, value, file }: Leaf): string {
  return `${safeLine(`${settingName({ path })} = ${JSON.stringify(value)}`)}  (${safeLine(file)})`;
}

/** Writes one checked value to its file (A18.4). */
export async function changeSetting(
  { name, word, scope }: SettingChange,
  io: CliIO,
  root: string,
): Promise<SettingChanged> {
  const key = requireKey(name);
  if (key.type === "group") {
    const names = settings.filter((one) => isBelow(one.path, key.path)).map(settingName);
    throw new UsageError(`${name} is not one setting but several; name one of them: ${names.join(", ")}.`);
  }
  const checked = word === undefined ? { value: undefined } : parseValue(key, word);
  if ("problem" in checked) {
    const how = key.setting.what.startsWith("a list ") ? `; write it as '["…", "…"]'` : "";
    throw new UsageError(`${checked.problem}, not ${quoted(word ?? "")}${how}.`);
  }
  const { trust, isUserOnly, merge } = key.setting;
  if (trust === "managed" && word !== undefined)
    throw new UsageError(`${name} takes effect in your organisation's file only.`);
  const isOwn = trust === "never" || isUserOnly?.(key.path.at(-1) ?? "", checked.value) === true;
  // A value that was written there by hand can be removed.
  if (isOwn && scope !== "user" && word !== undefined) {
    const what = isUserOnly && merge === "last" ? `${name} ${quoted(word)}` : name;
    throw new UsageError(`${what} takes effect in your own settings only; write it with --scope user.`);
  }
  const place = settingsPaths(whereOf(io, root)).find((one) => one.scope === scope);
  if (place === undefined) throw new UsageError(`There is no scope ${scope}.`);
  const refusal = await editSettings(place, root, key.path, checked.value);
  if (refusal !== null) throw new Error(refusal);
  const isGrant = word !== undefined && scope !== "user" && trust !== "always";
  return {
    message: `${name} is ${word === undefined ? "no longer set" : "set"} in ${place.file}.`,
    condition:
      isGrant && (await isUntrusted(io, root))
        ? "It takes effect when you have agreed to what this directory's settings grant: the next conversation here asks you, and --trust agrees for one run."
        : null,
  };
}
