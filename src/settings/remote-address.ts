/** In words, after "must be". */
export const REMOTE_ADDRESS =
  "https://HOST/PATH, ssh://HOST/PATH, USER@HOST:PATH or an absolute path, without a password (git has its own credentials)";

/** True for an address over which files may travel: `ext::` would run a program, `http` and `git` do not authenticate the server. */
export function isRemoteAddress(text: string): boolean {
  if (/^(?:https|ssh|file):\/\/\S+$/.test(text)) return URL.canParse(text) && new URL(text).password === "";
  return /^\/[^\0\n]+$/.test(text) || /^[\w.-]+@[\w.-]+:[^\s:]\S*$/.test(text);
}
