import type { ModelAlias } from "../mailbox/asked-model.ts";
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
