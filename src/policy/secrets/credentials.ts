/** Shorter values are too much like ordinary words. */
export const MIN_CHARS = 8;

const NAMES_A_SECRET = /KEY|TOKEN|SECRET|PASSW/i;
/** Names of locations and properties. */
const NAMES_ANOTHER_THING =
  /(?:_|^)(?:PATH|FILE|DIR|FOLDER|HOME|SOCK|SOCKET|HOST|PORT|NAME|TYPE|MODE|COUNT|LIMIT|TIMEOUT|COMMAND|HELPER)$/i;
/** A path or a number: common in every session, and not a secret. */
const SAYS_ANOTHER_THING =
  /^(?:~|\.\.?)\/|^\/(?:home|root|Users|usr|etc|var|tmp|opt|run|mnt|private|data|srv)(?:\/|$)|^[\d.,:]+$/;

/**
 * Returns the credentials in an environment, by variable name. A key or a token that is a plain word (`production`) is
 * not one, or the word would be redacted everywhere; a password may be a word.
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
