/** Names of variables that open an account: no child of an agent may see one. */
const KEY_NAMES = /^(?:ANTHROPIC|CLAUDE|TROUPE)_(?:\w+_)?(?:KEY|TOKEN|SECRET)$|^ANTHROPIC_CUSTOM_HEADERS$/i;

/** Ours alone: a child that is a Node program must not write into our compile cache. */
const OUR_NAMES = new Set(["NODE_COMPILE_CACHE"]);

/**
 * What makes a bash run something before the command, or read it as another language than the one it was
 * judged in: start-up files, options, exported functions, a search path for `cd`.
 */
const STEERS_BASH =
  /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_COMPAT|BASH_LOADABLES_PATH|BASH_XTRACEFD|POSIXLY_CORRECT|CDPATH|GLOBIGNORE|EXECIGNORE|PS4|PROMPT_COMMAND|TMOUT)$|^BASH_FUNC_/;

/** The environment for children: what is unset, ours, opens an account or steers a shell is left out. */
export function cleanEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || OUR_NAMES.has(name)) continue;
    if (!KEY_NAMES.test(name) && !STEERS_BASH.test(name)) clean[name] = value;
  }
  return clean;
}
