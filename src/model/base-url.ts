/** The default address of the Messages API. */
export const DEFAULT_BASE_URL = "https://api.anthropic.com";

export type BaseURL =
  | { readonly ok: true; readonly url: string; readonly host: string }
  /** One sentence that says what is wrong and what to write; it never repeats a password. */
  | { readonly ok: false; readonly message: string };

/**
 * Returns the base URL for `/v1/messages`. Removes trailing slashes, and the `/v1` that users copy from other APIs.
 */
export function checkBaseURL(text: string): BaseURL {
  const trimmed = text.trim();
  const example = "write it like http://localhost:11434";
  if (trimmed === "") return refused(`it is empty; ${example}, or unset it`);
  const url = URL.parse(trimmed);
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(trimmed))
    return refused(`"${trimmed}" does not start with http:// or https://; ${example}`);
  if (url === null) return refused(`"${trimmed}" is not an address; ${example}`);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return refused(`${url.protocol}// is not http:// or https://; ${example}`);
  if (url.username !== "" || url.password !== "")
    return refused("it holds a user name or password; put the key into ANTHROPIC_API_KEY instead");
  if (url.search !== "" || url.hash !== "")
    return refused(`"${trimmed}" has more than an address and a path; leave out what follows ? or #`);
  const path = url.pathname
    .replace(/\/+$/, "")
    .replace(/\/v1(\/messages)?$/, "")
    .replace(/\/+$/, "");
  return { ok: true, url: url.origin + path, host: url.host };
}

function refused(why: string): BaseURL {
  return { ok: false, message: `The base URL of the model server (ANTHROPIC_BASE_URL) is wrong: ${why}.` };
}
