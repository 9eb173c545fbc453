import type { JsonObject } from "../lib/json.ts";
import { printable } from "../lib/text.ts";
import { type Counting, count } from "./count.ts";
import { type Leaf, LOGINS } from "./leaves.ts";
import { isProjectScope } from "./paths.ts";
import { isWider, type ModeLimits, type Rule, type Scope } from "./permissions.ts";
import { schema } from "./schema.ts";
import { isSetting, type Setting, settingName } from "./setting.ts";
import { listText, type SettingsFile } from "./settings-file.ts";

/** The hooks of one file, as they are there: the code that runs hooks checks them. */
export interface HookSource {
  readonly scope: Scope;
  readonly file: string;
  readonly value: unknown;
  /** Environment variables of the plug-in that they belong to. */
  readonly plugin?: Readonly<Record<string, string>>;
}

/** A command or a directory, and the file that names it: its meaning depends on the file. */
export interface SourcedText {
  readonly text: string;
  readonly scope: Scope;
  readonly file: string;
}

/** What an agent of a type can use, as a file says it. Types match whatever their case and separators. */
export interface AgentBudget {
  readonly type: string;
  readonly tokens?: number;
  readonly usd?: number;
  readonly turns?: number;
  readonly minutes?: number;
}

const { apiKeyHelper, additionalDirectories, pluginDirs, agentBudgets, availableModels, ...others } = schema;
const { permissions, hooks, disableHooks, managedHooksOnly, statusLine: _, ...plain } = others;

/** The values that count, of all files together; absent if no file sets one. */
export type Settings = Values<typeof plain> & {
  readonly apiKeyHelper?: SourcedText;
  readonly additionalDirectories: readonly SourcedText[];
  readonly pluginDirs: readonly SourcedText[];
  /** Of every file; if several name a type, the smallest of each limit counts. */
  readonly agentBudgets: readonly AgentBudget[];
  /** One list for each file that has one. */
  readonly availableModels: readonly (readonly string[])[];
  /** The organisation's limit: no flag exceeds it. */
  readonly managedBudgetUsd?: number;
};

export interface StatusLine {
  readonly command: string;
  readonly padding: number;
}

/** What all settings files say together. */
export interface ReadSettings extends ModeLimits {
  readonly settings: Settings;
  /** Of every scope, the organisation's first. */
  readonly rules: readonly Rule[];
  readonly hooks: readonly HookSource[];
  /** Only the organisation's hooks run; those of agent definitions do not. */
  readonly hooksOff: boolean;
  /** The command for the line below the prompt, unless hooks are off. */
  readonly statusLine?: StatusLine;
  /** Only the organisation's allow rules count; those of flags do not. */
  readonly managedRulesOnly: boolean;
  /** The organisation lets only accounts with a login be used: the key that says so, with its file. */
  readonly requiredLogin?: Leaf;
  /** Sentences for the user: what could not be used, and what to do. */
  readonly warnings: readonly string[];
  /** Every file that was looked for; a change of one changes the settings. */
  readonly files: readonly string[];
  /** Each value that counts, with its file: for `troupe config`. */
  readonly leaves: readonly Leaf[];
  /** Values of the project's files that count only if the directory is trusted, whether it is or not. */
  readonly granted: readonly Leaf[];
  /** Values of the project's files that the user is asked about elsewhere. */
  readonly proposed: readonly Leaf[];
}

/** Returns what the files say together if the directory is trusted, or if it is not. */
export function combine(files: readonly SettingsFile[], trusted: boolean): ReadSettings {
  const counting = count(files, trusted);
  const { counted, granted, proposed } = counting;
  const { warnings, ...mode } = modeOf(files, counted);
  const managed = files.filter(({ scope }) => scope === "enterprise").flatMap(({ leaves }) => leaves);
  const requiredLogin = managed.find(({ path }) => LOGINS.includes(path.join(".")));
  return {
    ...(requiredLogin === undefined ? {} : { requiredLogin }),
    settings: settingsOf(counted, managed),
    ...rulesOf(counted, managed),
    ...hooksOf(counted, managed),
    ...mode,
    warnings: [...files.flatMap((file) => file.warnings), ...refusals(counting), ...warnings],
    files: files.map(({ file }) => file),
    ...{ leaves: counted, granted, proposed },
  };
}

function settingsOf(all: readonly Leaf[], managed: readonly Leaf[]): Settings {
  const { allowedDomains, managedDomainsOnly } = schema.sandbox;
  const isLocked = isTrue(managed, managedDomainsOnly);
  const counted = all.filter(
    ({ setting, scope }) => !isLocked || setting !== allowedDomains || scope === "enterprise",
  );
  const helper = sourcedTexts(counted, apiKeyHelper).at(-1);
  const managedBudgetUsd = leavesIn(managed, schema.budgets.maxBudgetUsd).at(-1)?.value;
  const values = valuesIn(counted, plain);
  const { dependencies } = values.worktree;
  const withoutSlash = Object.entries(dependencies).map(
    ([name, how]) => [name.replace(/\/$/, ""), how] as const,
  );
  return {
    ...values,
    worktree: { ...values.worktree, dependencies: Object.fromEntries(withoutSlash) },
    ...(helper === undefined ? {} : { apiKeyHelper: helper }),
    additionalDirectories: sourcedTexts(counted, additionalDirectories),
    pluginDirs: sourcedTexts(counted, pluginDirs),
    availableModels: leavesIn(counted, availableModels).map(({ value }) => value),
    agentBudgets: leavesIn(counted, agentBudgets).flatMap(({ value }) =>
      Object.entries(value).map(([type, limits]) => ({ type, ...limits })),
    ),
    ...(managedBudgetUsd === undefined ? {} : { managedBudgetUsd }),
  };
}

function sourcedTexts(leaves: readonly Leaf[], setting: Setting<string | readonly string[]>): SourcedText[] {
  return leavesIn(leaves, setting).flatMap(({ value, scope, file }) =>
    [value].flat().map((text) => ({ text, scope, file })),
  );
}

/** Allow rules of other files do not count if the organisation says so; what they deny or ask always does. */
function rulesOf(counted: readonly Leaf[], managed: readonly Leaf[]) {
  const managedRulesOnly = isTrue(managed, permissions.managedRulesOnly);
  const rules = (["allow", "ask", "deny"] as const).flatMap((behaviour) =>
    sourcedTexts(counted, permissions[behaviour]).map(
      ({ text, ...from }): Rule => ({ text, behaviour, ...from }),
    ),
  );
  const managedDomainsOnly = isTrue(managed, schema.sandbox.managedDomainsOnly);
  const isLocked = (text: string) => managedRulesOnly || (managedDomainsOnly && /^\s*WebFetch\b/.test(text));
  const counts = ({ text, behaviour, scope }: Rule) =>
    behaviour !== "allow" || scope === "enterprise" || !isLocked(text);
  return { rules: rules.filter(counts), managedRulesOnly };
}

function hooksOf(counted: readonly Leaf[], managed: readonly Leaf[]) {
  const allOff = isTrue(managed, disableHooks);
  const hooksOff =
    allOff || isTrue(managed, managedHooksOnly) || leavesIn(counted, disableHooks).at(-1)?.value === true;
  const runs = ({ scope, value }: HookSource & { readonly value: JsonObject }) =>
    Object.keys(value).length > 0 && (!hooksOff || (scope === "enterprise" && !allOff));
  const sources = leavesIn(counted, hooks).map(({ scope, file, value, plugin }) => ({
    ...{ scope, file, value },
    ...(plugin === undefined ? {} : { plugin }),
  }));
  // It is run as hooks are.
  const line = leavesIn(counted, schema.statusLine).at(-1);
  const isOn = line !== undefined && (!hooksOff || (line.scope === "enterprise" && !allOff));
  const statusLine = isOn ? { command: line.value.command, padding: line.value.padding ?? 0 } : undefined;
  return {
    ...{ hooks: sources.filter(runs), hooksOff },
    ...(statusLine === undefined ? {} : { statusLine }),
  };
}

function isTrue(leaves: readonly Leaf[], setting: Setting<boolean>): boolean {
  return leavesIn(leaves, setting).some(({ value }) => value);
}

/**
 * The mode that a session starts in. A file that cannot be read may have restricted it, so then no other file widens it
 * (fault 59); if it is the organisation's file, no flag does either.
 */
function modeOf(
  files: readonly SettingsFile[],
  leaves: readonly Leaf[],
): ModeLimits & { readonly warnings: readonly string[] } {
  const chosen = leavesIn(leaves, permissions.mode).at(-1);
  const managed = files.find(({ scope }) => scope === "enterprise");
  const unreadable = files.find(({ cautious }) => cautious);
  const bypassDisabled = leavesIn(leaves, permissions.disableBypass).length > 0;
  const modeLocked =
    managed !== undefined && (managed.cautious || leavesIn(managed.leaves, permissions.mode).length > 0);
  const limits = { modeLocked, bypassDisabled };
  if (chosen === undefined) return { ...limits, ...(modeLocked ? { mode: "default" } : {}), warnings: [] };
  const mode = chosen.value;
  const why =
    unreadable && isWider(mode, "default")
      ? `${unreadable.file} could not be read and may restrict it`
      : bypassDisabled && mode === "bypassPermissions"
        ? "permissions.disableBypassPermissionsMode switches it off"
        : null;
  if (why === null) return { ...limits, mode, warnings: [] };
  const warning = `${chosen.file}: the mode ${mode} does not count, because ${why}; the session starts in default.`;
  return { ...limits, mode: "default", warnings: [warning] };
}

/** One sentence for each project file, which can set dozens of variables, and one for each value that the organisation forbids. */
function refusals({ refused }: Counting): string[] {
  const isProjects = ({ scope, setting }: Leaf) => isProjectScope(scope) && setting?.trust !== "managed";
  const projects = Map.groupBy(refused.filter(isProjects), ({ file }) => file);
  const others = refused.filter((leaf) => !isProjects(leaf));
  return [
    ...[...projects].map(([file, leaves]) => {
      const names = [...new Set(leaves.map(settingName))];
      const [do_, them] = names.length === 1 ? ["does", "it"] : ["do", "them"];
      return `${file}: ${listText(names)} ${do_} not count there, because a project's own settings may not widen ${them}; set ${them} in your own settings, usually ~/.claude/settings.json, if you want ${them}.`;
    }),
    ...others.map((leaf) => {
      const why =
        leaf.setting?.trust === "managed"
          ? "only your organisation's file can set it"
          : "your organisation's settings are stricter";
      return `${leaf.file}: ${printable(settingName(leaf))} does not count, because ${why}; remove it.`;
    }),
  ];
}

/** The leaves of one setting, with its type. */
function leavesIn<T>(leaves: readonly Leaf[], setting: Setting<T>): (Leaf & { readonly value: T })[] {
  const isOwn = (leaf: Leaf): leaf is Leaf & { readonly value: T } => leaf.setting === setting;
  return leaves.filter(isOwn);
}

/** The values of a group of settings by their names. A single value is absent if no file sets it. */
type Values<G> = {
  readonly [N in keyof G as G[N] extends Setting<unknown, "last"> ? N : never]?: ValueOf<G[N]>;
} & {
  readonly [N in keyof G as G[N] extends Setting<unknown, "last"> ? never : N]: ValueOf<G[N]>;
};

type ValueOf<S> = S extends Setting<infer T> ? T : Values<S>;

/** Returns what the leaves that count say together about these settings. */
function valuesIn<G extends object>(leaves: readonly Leaf[], group: G): Values<G> {
  const values = Object.entries(group).flatMap(([name, one]: [string, object]) => {
    if (!isSetting(one)) return [[name, valuesIn(leaves, one)]];
    const own = leavesIn(leaves, one);
    return own.length === 0 && one.merge === "last" ? [] : [[name, merge(one, own)]];
  });
  // Each value passed the schema of its setting when its file was read.
  return Object.fromEntries(values) as Values<G>;
}

function merge({ merge }: Setting<unknown>, leaves: readonly Leaf[]): unknown {
  switch (merge) {
    case "last":
      return leaves.at(-1)?.value;
    case "entries":
      return Object.fromEntries(leaves.map(({ path, value }) => [path.at(-1), value]));
    case "each":
      return [...new Set(leaves.flatMap(({ value }) => value))];
    default:
      return merge satisfies never;
  }
}
