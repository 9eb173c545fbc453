/** Values that are shorter are words like others. */
export const MIN_CHARS = 8;

const NAMES_A_SECRET = /KEY|TOKEN|SECRET|PASSW/i;
/** Names of where something is, or of what it is like. */
const NAMES_ANOTHER_THING =
  /(?:_|^)(?:PATH|FILE|DIR|FOLDER|HOME|SOCK|SOCKET|HOST|PORT|NAME|TYPE|MODE|COUNT|LIMIT|TIMEOUT|COMMAND|HELPER)$/i;
/** A path or a number: common in every session, and not a secret. */
const SAYS_ANOTHER_THING =
  /^(?:~|\.\.?)\/|^\/(?:home|root|Users|usr|etc|var|tmp|opt|run|mnt|private|data|srv)(?:\/|$)|^[\d.,:]+$/;

/**
 * The credentials that an environment holds, by the names of its variables. A key or a token that is a plain
 * word (`production`) is none, or the word would be missing from everything that is written down; a password
 * may be a word.
 */
export function credentialsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = Object.entries(env)
    .filter(([name]) => NAMES_A_SECRET.test(name) && !NAMES_ANOTHER_THING.test(name))
    .map(([name, value = ""]) => ({ value: value.trim(), mayBeWord: /PASSW/i.test(name) }))
    .filter(({ value, mayBeWord }) => mayBeWord || !isWord(value))
    .filter(({ value }) => value.length >= MIN_CHARS && !SAYS_ANOTHER_THING.test(value));
  return [...new Set(values.map(({ value }) => value))];
}

function isWord(value: string): boolean {
  return value.length < 20 && /^(?:[a-z]*|[A-Z]*|[A-Z][a-z]*)(?:[-_. ][A-Za-z]+)*$/.test(value);
}
