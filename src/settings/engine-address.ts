/** In words, after "must be". */
export const ENGINE_ADDRESS = "redis://HOST, rediss://HOST, postgres://HOST/DATABASE or ssh://HOST";

/** True for a text that can be the address of an engine; whether it is safe to use depends on its password, too. */
export function isEngineAddress(text: string): boolean {
  return /^(?:rediss?|postgres(?:ql)?|ssh):\/\/\S+$/.test(text) && URL.canParse(text);
}
