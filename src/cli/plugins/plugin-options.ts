import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Plugin, PluginSource } from "../../context/plugins/read-plugin.ts";
import { isObject, valueAt } from "../../lib/json.ts";
import { printable } from "../../lib/text.ts";
import type { Leaf } from "../../settings/leaves.ts";
import { userPlaces } from "../../settings/paths.ts";
import type { SettingsFile } from "../../settings/settings-file.ts";
import type { CliIO } from "../process-io.ts";

/** What a plug-in gets of this machine and its user. */
interface PluginOptions {
  /** The values of `${NAME}` in its skills, commands and agents. */
  readonly variables: Readonly<Record<string, string>>;
  /** Environment variables of its hooks and servers. */
  readonly env: Readonly<Record<string, string>>;
  /** The values of its options by key; null for one that it needs and does not have. */
  readonly values: ReadonlyMap<string, string | null>;
}

/** A plug-in's files and source with the values of its options in them, and a sentence for what is left out without one. */
export function withOptions(
  plugin: Plugin,
  { files, source }: { readonly files: readonly SettingsFile[]; readonly source: PluginSource },
  {
    id,
    configs,
    io,
  }: { readonly id: string; readonly configs: Readonly<Record<string, unknown>>; readonly io: CliIO },
): {
  readonly files: readonly SettingsFile[];
  readonly source: PluginSource;
  readonly notes: readonly string[];
} {
  const options = readOptions(plugin, { id, options: valueAt(configs[id], ["options"]), io });
  const notes: string[] = [];
  const fill = (leaf: Leaf): Leaf[] => {
    const isServer = leaf.path[0] === "mcpServers";
    const filled = isServer ? fillServer(leaf.value, options) : fillHooks(leaf.value, options);
    notes.push(
      ...filled.problems.map(
        (why) =>
          `${leaf.file}: ${isServer ? `the MCP server ${printable(leaf.path.at(-1) ?? "")}` : "a hook"} ${why}`,
      ),
    );
    if (filled.value === undefined) return [];
    return [{ ...leaf, value: filled.value, plugin: { ...leaf.plugin, ...options.env } }];
  };
  return {
    files: files.map((file) => ({ ...file, leaves: file.leaves.flatMap(fill) })),
    source: { ...source, variables: options.variables },
    notes: notes.map(
      (note) =>
        `${note}; it is left out. Set pluginConfigs[${JSON.stringify(id)}].options in your own settings.`,
    ),
  };
}

function readOptions(
  { userConfig }: Plugin,
  { id, options, io }: { readonly id: string; readonly options: unknown; readonly io: CliIO },
): PluginOptions {
  const data = join(userPlaces(io.env, io.homedir).claudeDir, "plugins", "data", id.replace(/[^\w-]/g, "-"));
  try {
    mkdirSync(data, { recursive: true });
  } catch {
    // What needs it says so.
  }
  const values = new Map<string, string | null>();
  const env: Record<string, string> = { CLAUDE_PLUGIN_DATA: data };
  const variables: Record<string, string> = { CLAUDE_PLUGIN_DATA: data };
  for (const [key, declared] of Object.entries(userConfig)) {
    if (!/^[A-Za-z_]\w*$/.test(key)) continue;
    const name = `CLAUDE_PLUGIN_OPTION_${key.toUpperCase()}`;
    const given = valueAt(options, [key]) ?? io.env[name] ?? valueAt(declared, ["default"]);
    const value = given === undefined || given === null ? undefined : [given].flat().map(String).join(",");
    const isRequired = valueAt(declared, ["required"]) === true;
    values.set(key, value ?? (isRequired ? null : ""));
    if (value === undefined) continue;
    env[name] = value;
    if (valueAt(declared, ["sensitive"]) !== true) variables[`user_config.${key}`] = value;
  }
  return { variables, env, values };
}

interface Filled {
  /** Undefined if all of it is left out. */
  readonly value: unknown;
  /** Ends of sentences. */
  readonly problems: readonly string[];
}

const NAMED = "$" + "{user_config.…}";
const OPTION = /\$\{user_config\.(\w+)\}/g;

/** A header's helper is a line of a shell, into which no value is put. */
function fillServer(value: unknown, options: PluginOptions): Filled {
  if (usesOptions(valueAt(value, ["headersHelper"])))
    return { value: undefined, problems: [`has ${NAMED} in headersHelper, a shell's line`] };
  const lacking = lackingIn(value, options);
  return lacking === null
    ? { value: fillAll(value, options), problems: [] }
    : { value: undefined, problems: [lacking] };
}

/** Leaves out single hooks: a value in a shell's line would be run as part of it. */
function fillHooks(value: unknown, options: PluginOptions): Filled {
  const problems: string[] = [];
  const isUsed = (hook: unknown): boolean => {
    const isShell = valueAt(hook, ["args"]) === undefined;
    const why =
      isShell && usesOptions(valueAt(hook, ["command"]))
        ? `has ${NAMED} in a shell's line (its script finds the value in CLAUDE_PLUGIN_OPTION_… of its environment)`
        : lackingIn(hook, options);
    if (why !== null) problems.push(why);
    return why === null;
  };
  const groups = (event: unknown) =>
    Array.isArray(event)
      ? event.map((group: unknown) => {
          const hooks = valueAt(group, ["hooks"]);
          if (!isObject(group) || !Array.isArray(hooks)) return group;
          return { ...group, hooks: hooks.filter(isUsed).map((hook: unknown) => fillAll(hook, options)) };
        })
      : event;
  const filled = isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([event, given]) => [event, groups(given)]))
    : value;
  return { value: filled, problems };
}

function usesOptions(value: unknown): boolean {
  return (JSON.stringify(value) ?? "").search(OPTION) >= 0;
}

/** Returns what a value needs and does not have, or null. */
function lackingIn(value: unknown, { values }: PluginOptions): string | null {
  const keys = [...(JSON.stringify(value) ?? "").matchAll(OPTION)].map(([, key = ""]) => key);
  const lacking = keys.find((key) => (values.get(key) ?? null) === null);
  return lacking === undefined ? null : `needs its option ${lacking}, which has no value`;
}

function fillAll(value: unknown, options: PluginOptions): unknown {
  if (typeof value === "string")
    return value.replace(OPTION, (raw, key: string) => options.values.get(key) ?? raw);
  if (Array.isArray(value)) return value.map((one: unknown) => fillAll(one, options));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fillAll(one, options)]));
}
