/**
 * Characters of one result if the window is not known: about 50,000 tokens. An agent's own limit is
 * `ThreadCallContext.resultChars`.
 */
export const RESULT_CHARS = 200_000;

/** What an image counts in a result, in characters. */
export const IMAGE_CHARS = 5_600;

/** Outside of ASCII a character is often a token, and counts as many characters as a token has in English. */
const WIDE_CHARS = 3.5;

/** Returns what a text counts in a result, in characters of English. */
export function charsOf(text: string): number {
  let chars = text.length;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) chars += WIDE_CHARS - 1;
  return chars;
}
