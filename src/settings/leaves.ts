import { catalogue, settings } from "./catalogue.ts";
import { withoutUnknownEvents } from "./hook-keys.ts";
import { isObject, type JsonObject, textsIn, valueAt } from "./json.ts";
import { isKnownElsewhere } from "./known-elsewhere.ts";
import type { FileScope, SettingsPlace } from "./places.ts";
import { translateSandbox } from "./sandbox-keys.ts";
import { nameOf, type Setting } from "./setting.ts";

/** One value of one file: of a setting, of an entry of one, or of a key that Troupe does not know. */
export interface Leaf {
  readonly path: readonly string[];
  /** Checked, where the setting is known. */
  readonly value: unknown;
  /** Null: Troupe does not know the key. */
  readonly setting: Setting<unknown> | null;
  readonly scope: FileScope;
  readonly file: string;
}

/** A value that cannot be used. */
export interface Problem {
  readonly path: readonly string[];
  /** What must be, such as "must be one of …". */
  readonly message: string;
  /** What is right in it counts. */
  readonly partly?: boolean;
}

export interface CheckedLeaves {
  readonly leaves: readonly Leaf[];
  readonly problems: readonly Problem[];
  /** Names of keys that neither Troupe nor the tools people share these files with know. */
  readonly unknown: readonly string[];
  /** Names below `sandbox` that nothing here enforces. */
  readonly unenforced: readonly string[];
}

/** A file's value, taken apart and checked: what cannot be used is left out and takes nothing else with it. */
export function leavesOf(value: JsonObject, place: SettingsPlace): CheckedLeaves {
  const leaves: Leaf[] = [];
  const problems: Problem[] = [];
  const unknown: string[] = [];

  function visit(inner: unknown, path: readonly string[]): void {
    const setting = settingAt(path);
    if (setting) take(setting, inner, path);
    else if (!isGroup(path)) keep(inner, path);
    else if (!isObject(inner)) problems.push({ path, message: "must be an object" });
    else for (const [key, member] of Object.entries(inner)) visit(member, [...path, key]);
  }

  function keep(inner: unknown, path: readonly string[]): void {
    if (!isKnownElsewhere(path)) unknown.push(nameOf({ path }));
    leaves.push({ ...place, path, value: inner, setting: null });
  }

  function take(setting: Setting<unknown>, inner: unknown, path: readonly string[]): void {
    if (setting.merge === "entries" && isObject(inner)) {
      for (const [name, entry] of Object.entries(inner)) check(setting, { [name]: entry }, [...path, name]);
    } else check(setting, inner, path);
  }

  function check(setting: Setting<unknown>, input: unknown, path: readonly string[]): void {
    const checked = setting.check.safeParse(input);
    if (checked.success) {
      const isEntry = path.length > setting.path.length;
      const value = isEntry ? valueAt(checked.data, path.slice(-1)) : checked.data;
      leaves.push({
        ...place,
        path,
        value: setting === catalogue.hooks ? hooksOf(value, path) : value,
        setting,
      });
      return;
    }
    const rest = restrictionsOf(setting, input);
    const message = checked.error.issues[0]?.message ?? "is not valid";
    problems.push({ path, message, partly: rest.length > 0 });
    if (rest.length > 0) leaves.push({ ...place, path, value: rest, setting });
  }

  function hooksOf(given: unknown, path: readonly string[]): unknown {
    if (!isObject(given)) return given;
    const { hooks, unknown: others } = withoutUnknownEvents(given);
    problems.push(...others.map(({ event, message }) => ({ path: [...path, event], message })));
    return hooks;
  }

  const { sandbox, ...others } = value;
  const translated = sandbox === undefined ? null : translateSandbox(sandbox, place);
  // First, so that what stands under `troupe.sandbox` counts.
  if (translated !== null) visit(translated.sandbox, ["troupe", "sandbox"]);
  for (const [key, member] of Object.entries(others)) visit(member, [key]);
  return { leaves, problems, unknown, unenforced: translated?.unenforced ?? [] };
}

/** The setting at a path, and undefined where there is none. */
export function settingAt(path: readonly string[]): Setting<unknown> | undefined {
  return byPath.get(keyOf(path));
}

/** Whether settings are below this path. */
export function isGroup(path: readonly string[]): boolean {
  return groups.has(keyOf(path));
}

const byPath: ReadonlyMap<string, Setting<unknown>> = new Map(settings.map((one) => [keyOf(one.path), one]));

const groups: ReadonlySet<string> = new Set(
  settings.flatMap(({ path }) => path.slice(1).map((_, at) => keyOf(path.slice(0, at + 1)))),
);

/** A key may have a dot in it, and is then another one. */
function keyOf(path: readonly string[]): string {
  return JSON.stringify(path);
}

/** Of a list of restrictions that is partly wrong, the part that is right counts. */
function restrictionsOf(setting: Setting<unknown>, input: unknown): string[] {
  const restricts = setting === catalogue.deny || setting === catalogue.ask;
  return restricts ? textsIn(input) : [];
}
