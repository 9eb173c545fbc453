/** The sorts of servers that Troupe can ask over HTTP, with what users set for them; failures name it. */
export const SERVERS = {
  anthropic: {
    name: "anthropic",
    api: "Messages API",
    baseURL: "https://api.anthropic.com",
    // The variables of its address, its key and all its credentials.
    address: "ANTHROPIC_BASE_URL",
    key: "ANTHROPIC_API_KEY",
    keys: "ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN",
  },
  openai: {
    name: "openai",
    api: "chat completions API",
    baseURL: "https://api.openai.com/v1",
    address: "OPENAI_BASE_URL",
    key: "OPENAI_API_KEY",
    keys: "OPENAI_API_KEY",
  },
} as const;

export type ServerKind = keyof typeof SERVERS;

/** The default address of the Messages API. */
export const DEFAULT_BASE_URL = SERVERS.anthropic.baseURL;

export type BaseURL =
  | { readonly ok: true; readonly url: string; readonly host: string }
  /** One sentence that says what is wrong and what to write; it never repeats a password. */
  | { readonly ok: false; readonly message: string };

/** Returns the base URL of a server: without slashes at its end, and without what users copy from other addresses. */
export function checkBaseURL(text: string, kind: ServerKind = "anthropic"): BaseURL {
  const { address, key } = SERVERS[kind];
  const refused = (why: string): BaseURL => {
    return { ok: false, message: `The base URL of the model server (${address}) is wrong: ${why}.` };
  };
  const trimmed = text.trim();
  const example = `write it like http://localhost:11434${kind === "openai" ? "/v1" : ""}`;
  if (trimmed === "") return refused(`it is empty; ${example}, or unset it`);
  const url = URL.parse(trimmed);
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(trimmed))
    return refused(`"${trimmed}" does not start with http:// or https://; ${example}`);
  if (url === null) return refused(`"${trimmed}" is not an address; ${example}`);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return refused(`${url.protocol}// is not http:// or https://; ${example}`);
  if (url.username !== "" || url.password !== "")
    return refused(`it holds a user name or password; put the key into ${key} instead`);
  if (url.search !== "" || url.hash !== "")
    return refused(`"${trimmed}" has more than an address and a path; leave out what follows ? or #`);
  return { ok: true, url: url.origin + pathOf(url.pathname, kind), host: url.host };
}

/** The Messages API has its version in the path of a request, chat completions in the address. */
function pathOf(pathname: string, kind: ServerKind): string {
  const path = pathname.replace(/\/+$/, "");
  if (kind === "openai") return path.replace(/\/chat\/completions$/, "") || "/v1";
  return path.replace(/\/v1(\/messages)?$/, "").replace(/\/+$/, "");
}
