import type { ModelAlias } from "../mailbox/model.ts";
import { hasLongMark, knownModel, withoutLongMark } from "./known-models.ts";

/** The default models of the short names: the newest of each family (A22.17). */
export const DEFAULT_ALIASES = {
  opus: "claude-opus-5-5",
  sonnet: "claude-sonnet-5-5",
  haiku: "claude-haiku-5-5",
  fable: "claude-fable-5-2",
} as const satisfies Readonly<Record<ModelAlias, string>>;

export const DEFAULT_MODEL = "sonnet";

export type Aliases = Readonly<Record<string, string>>;

/**
 * Returns the aliases of the environment and the settings: the environment (`ANTHROPIC_DEFAULT_OPUS_MODEL` and so on)
 * wins over the user's settings. Defaults are not included; `resolveModel` knows them.
 */
export function aliasesFrom(
  env: Readonly<Record<string, string | undefined>>,
  settings: Aliases = {},
): Aliases {
  const fromEnv = Object.keys(DEFAULT_ALIASES).flatMap((alias) => {
    const id = env[`ANTHROPIC_DEFAULT_${alias.toUpperCase()}_MODEL`]?.trim();
    return id ? [[alias, id] as const] : [];
  });
  return { ...settings, ...Object.fromEntries(fromEnv) };
}

/** Other names that settings of Claude Code may have. `opusplan` is opus in plan mode and sonnet else; here it is sonnet. */
const OTHER_NAMES: Readonly<Record<string, ModelAlias>> = {
  best: "opus",
  opusplan: "sonnet",
  default: "sonnet",
};

/** Returns the alias of a name, ignoring case and the mark of a long window. Undefined for a full ID. */
export function aliasNamed(name: string, aliases: Aliases = {}): string | undefined {
  const plain = withoutLongMark(name.trim().toLowerCase());
  if (Object.hasOwn(DEFAULT_ALIASES, plain) || Object.hasOwn(aliases, plain)) return plain;
  return Object.hasOwn(OTHER_NAMES, plain) ? OTHER_NAMES[plain] : undefined;
}

/**
 * Returns the full ID of an alias, ignoring case. Any other name is passed on as an ID: the server knows its models,
 * Troupe does not (A1.5). The mark of a long window stays only if the window is not known without it.
 */
export function resolveModel(nameOrAlias: string, aliases: Aliases = {}): string {
  const alias = aliasNamed(nameOrAlias, aliases);
  const known: Aliases = { ...DEFAULT_ALIASES, ...aliases };
  const id = (alias === undefined ? undefined : known[alias]) ?? nameOrAlias;
  const plain = withoutLongMark(id);
  if (knownModel(plain) !== undefined) return plain;
  return hasLongMark(nameOrAlias) ? `${plain}[1m]` : id;
}

/** Lists of `availableModels`, one for each file that has one: a model must be in all of them. */
export type AvailableModels = readonly (readonly string[])[];

const FAMILY = new RegExp(`(?:^|-)(${Object.keys(DEFAULT_ALIASES).join("|")})(?=-|$)`);

/**
 * Returns why a model may not be used, or null. An entry is an alias, which is its family; a full ID; or the beginning of
 * one up to a hyphen, with or without `claude-`. An empty list leaves the default.
 */
export function modelRefusal(
  model: string,
  available: AvailableModels | undefined = [],
  aliases: Aliases = {},
): string | null {
  const id = plain(resolveModel(model, aliases));
  const refusing = available.find((list) => !entriesOf(list).some((entry) => isIn(entry, id, aliases)));
  return refusing === undefined || id === "offline"
    ? null
    : `The model ${model} is not among availableModels of your settings (${entriesOf(refusing).join(", ")}); choose one of these.`;
}

/** Returns the first model that every list has: for when none is chosen and the default is not available. */
export function firstAvailable(available: AvailableModels, aliases: Aliases): string | undefined {
  return available.flat().find((entry) => modelRefusal(entry, available, aliases) === null);
}

function entriesOf(list: readonly string[]): readonly string[] {
  return list.length === 0 ? [DEFAULT_MODEL] : list;
}

function isIn(entry: string, id: string, aliases: Aliases): boolean {
  const named = plain(entry);
  const family = FAMILY.exec(id)?.[1];
  // An alias that was given to a model of another family does not make that model available.
  if (Object.hasOwn(DEFAULT_ALIASES, named))
    return family === undefined ? id === plain(resolveModel(named, aliases)) : family === named;
  return [named, `claude-${named}`].some((start) => id === start || id.startsWith(`${start}-`));
}

function plain(name: string): string {
  return withoutLongMark(name.toLowerCase());
}

/** Models that settings choose for agents; a call that names a model wins. */
export interface AgentModels {
  /** An alias, a full ID or `inherit` (the session's) by agent type; `*` is every other type. */
  readonly agentModels?: Readonly<Record<string, string>>;
  /** For tasks where speed matters most; Explore uses it unless `agentModels` names Explore. */
  readonly smallModel?: string;
  readonly availableModels?: AvailableModels;
  readonly aliases?: Aliases;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Adds the environment's values, with Claude Code's variables; a type in the settings keeps its model. */
export function agentModelsFrom(env: Env, { agentModels = {}, smallModel }: AgentModels): AgentModels {
  const all = env["CLAUDE_CODE_SUBAGENT_MODEL"]?.trim();
  const small = env["ANTHROPIC_SMALL_FAST_MODEL"]?.trim() || smallModel;
  return {
    agentModels: all ? { ...agentModels, "*": all } : agentModels,
    ...(small === undefined ? {} : { smallModel: small }),
  };
}
