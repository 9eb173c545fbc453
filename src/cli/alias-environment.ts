/** What opus, sonnet and haiku stand for: the environment wins over the person's settings. */
export function aliasesFrom(
  env: Readonly<Record<string, string | undefined>>,
  settings: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const fromEnv = ["opus", "sonnet", "haiku"].flatMap((alias) => {
    const id = env[`ANTHROPIC_DEFAULT_${alias.toUpperCase()}_MODEL`]?.trim();
    return id ? [[alias, id] as const] : [];
  });
  return { ...settings, ...Object.fromEntries(fromEnv) };
}
