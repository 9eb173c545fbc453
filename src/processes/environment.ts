/** Names of variables that open an account: no child of an agent may see one. */
const KEY_NAMES = /^(?:ANTHROPIC|CLAUDE|TROUPE)_(?:\w+_)?(?:KEY|TOKEN|SECRET)$|^ANTHROPIC_CUSTOM_HEADERS$/i;

/** Ours alone: a child that is a Node program must not write into our compile cache. */
const OUR_NAMES = new Set(["NODE_COMPILE_CACHE"]);

/** The environment for children: what is unset, ours, or opens an account is left out. */
export function withoutKeys(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !KEY_NAMES.test(name) && !OUR_NAMES.has(name)) clean[name] = value;
  }
  return clean;
}
