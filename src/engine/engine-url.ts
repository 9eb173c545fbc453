/** An engine's address, checked: `url` has everything that a client needs to connect. */
export interface EngineUrl {
  readonly type: "redis" | "postgres";
  readonly url: URL;
  /** Without the password, for messages. */
  readonly shown: string;
  readonly isLoopback: boolean;
  readonly isEncrypted: boolean;
}

/** Returns an engine's address, or throws a sentence that says what to change. `password` is for a URL without one. */
export function parseEngineUrl(text: string, password?: string): EngineUrl {
  const url = URL.canParse(text) ? new URL(text) : null;
  const type = url && TYPES[url.protocol];
  if (!url || !type)
    throw new Error(
      `"${hidePassword(text)}" is not an engine's address. Example: redis://localhost:6379, rediss://HOST, postgres://HOST/DATABASE or ssh://HOST.`,
    );
  if (url.password === "" && password !== undefined) url.password = encodeURIComponent(password);
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  const isEncrypted =
    url.protocol === "rediss:" || (type === "postgres" && url.searchParams.get("sslmode") === "verify-full");
  const shown = hidePassword(text);
  if (!isLoopback && !isEncrypted)
    throw new Error(
      type === "redis"
        ? `${shown} is not encrypted. Use rediss:// for an engine on another machine.`
        : `${shown} is not encrypted. Add ?sslmode=verify-full for an engine on another machine.`,
    );
  if (!isLoopback && url.password === "")
    throw new Error(`${shown} has no password. Set TROUPE_ENGINE_PASSWORD to the engine's password.`);
  return { type, url, shown, isLoopback, isEncrypted };
}

const TYPES: Readonly<Record<string, "redis" | "postgres">> = {
  "redis:": "redis",
  "rediss:": "redis",
  "postgres:": "postgres",
  "postgresql:": "postgres",
};

/** A URL may be wrong in many ways: whatever is between `:` and the last `@` is not shown, as a password may have both. */
export function hidePassword(text: string): string {
  return text.replace(/(\/\/[^:@/]*):.*@/s, "$1:…@").replace(/([?&]password=)[^&#]*/g, "$1…");
}

/** Returns an address that can be used again: with its password elsewhere, such as in `TROUPE_ENGINE_PASSWORD`. */
export function withoutPassword(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return hidePassword(text);
  if (url.password === "" && !url.searchParams.has("password")) return text;
  url.password = "";
  url.searchParams.delete("password");
  return url.href;
}
