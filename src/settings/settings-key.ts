import { parsedJson } from "./json.ts";
import { isGroup, settingAt } from "./leaves.ts";
import { nameOf, type Setting } from "./setting.ts";

/** What a person means by a name such as `permissions.allow` or `env.PATH`. */
export type SettingsKey =
  /** A setting, or one entry of a setting that has entries. */
  | { readonly type: "setting"; readonly path: readonly string[]; readonly setting: Setting<unknown> }
  /** Settings are below it. */
  | { readonly type: "group"; readonly path: readonly string[] }
  | { readonly type: "unknown" };

/** The name of an entry is whatever follows its setting's, dots and all. */
export function settingsKey(name: string): SettingsKey {
  const words = name.split(".");
  if (words.includes("")) return { type: "unknown" };
  const setting = settingAt(words);
  if (setting) return { type: "setting", path: words, setting };
  if (isGroup(words)) return { type: "group", path: words };
  for (let length = 1; length < words.length; length++) {
    const above = settingAt(words.slice(0, length));
    if (above?.merge === "entries") {
      const path = [...above.path, words.slice(length).join(".")];
      return { type: "setting", path, setting: above };
    }
  }
  return { type: "unknown" };
}

/** A value that passes the check, or a sentence. */
export type CheckedValue = { readonly value: unknown } | { readonly problem: string };

/** What a word on a command line means for this setting: as JSON where that fits, else as the text it is. */
export function valueFor(
  { path, setting }: { readonly path: readonly string[]; readonly setting: Setting<unknown> },
  word: string,
): CheckedValue {
  const entry = path.length > setting.path.length ? path.at(-1) : undefined;
  const problemOf = (value: unknown): string | null => {
    const checked = setting.check.safeParse(entry === undefined ? value : { [entry]: value });
    return checked.success ? null : (checked.error.issues[0]?.message ?? "is not valid");
  };
  const json = parsedJson(word);
  if (json !== undefined && problemOf(json) === null) return { value: json };
  const problem = problemOf(word);
  return problem === null ? { value: word } : { problem: `${nameOf({ path })} ${problem}` };
}
