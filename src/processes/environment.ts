/** Names of variables that open an account: no child of an agent may see one. */
const KEY_NAMES = /^(?:ANTHROPIC|CLAUDE|TROUPE)_(?:\w+_)?(?:KEY|TOKEN|SECRET)$|^ANTHROPIC_CUSTOM_HEADERS$/i;

/** The environment for children: what is unset and what opens an account is left out. */
export function withoutKeys(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !KEY_NAMES.test(name)) clean[name] = value;
  }
  return clean;
}
