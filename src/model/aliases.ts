/** What the short names mean by default: the newest of each family (A22.17). */
export const DEFAULT_ALIASES = {
  opus: "claude-opus-5-5",
  sonnet: "claude-sonnet-5-5",
  haiku: "claude-haiku-5-5",
} as const;

export const DEFAULT_MODEL = "sonnet";

export type Aliases = Readonly<Record<string, string>>;

/**
 * What the environment and the settings say that aliases mean: the environment (`ANTHROPIC_DEFAULT_OPUS_MODEL` and so on) wins
 * over the user's settings. Defaults are not in it; `resolveModel` knows them.
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
 * The full id that an alias stands for, matched whatever its case. Any other name is an id already and is
 * passed on as it is: the server knows its models, we do not (A1.5).
 */
export function resolveModel(nameOrAlias: string, aliases: Aliases = {}): string {
  const alias = nameOrAlias.trim().toLowerCase();
  const known: Aliases = { ...DEFAULT_ALIASES, ...aliases };
  return Object.hasOwn(known, alias) ? (known[alias] ?? nameOrAlias) : nameOrAlias;
}
