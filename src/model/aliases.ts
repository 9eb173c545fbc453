import type { ModelAlias } from "../mailbox/asked-model.ts";

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

/**
 * Returns the full ID of an alias, ignoring case. Any other name is passed on as an ID: the server knows its models,
 * Troupe does not (A1.5).
 */
export function resolveModel(nameOrAlias: string, aliases: Aliases = {}): string {
  const alias = nameOrAlias.trim().toLowerCase();
  const known: Aliases = { ...DEFAULT_ALIASES, ...aliases };
  return Object.hasOwn(known, alias) ? (known[alias] ?? nameOrAlias) : nameOrAlias;
}
