/**
 * Characters of one result, whatever was asked for, where nothing is known of the window: about 50,000 tokens. An agent's
 * own limit is `AgentCallContext.resultChars`; the limits on lines and entries are what normally holds.
 */
export const RESULT_CHARS = 200_000;

/** What an image takes of a result, as so many characters. */
export const IMAGE_CHARS = 5_600;

/** What outside of ASCII is often a token of its own counts for as many characters as a token has elsewhere. */
const WIDE_CHARS = 3.5;

/** What a text takes of a result, as so many characters of English. */
export function charsOf(text: string): number {
  let chars = text.length;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) chars += WIDE_CHARS - 1;
  return chars;
}
