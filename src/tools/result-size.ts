/**
 * Characters of one result, whatever was asked for: about 50,000 tokens, a quarter of a context window.
 * The limits on lines and entries are what normally holds.
 */
export const RESULT_CHARS = 200_000;
