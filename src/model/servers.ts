/** The sorts of servers that Troupe can ask over HTTP. */
export type ServerKind = "anthropic" | "openai";

/** What users set for a server; failures name it. */
export interface ServerNames {
  readonly name: string;
  readonly api: string;
  /** The default address. */
  readonly baseURL: string;
  /** The variable of its address. */
  readonly address: string;
  /** The variable of its key. */
  readonly key: string;
  /** The variables of all its credentials. */
  readonly keys: string;
}

export const SERVERS: Readonly<Record<ServerKind, ServerNames>> = {
  anthropic: {
    name: "anthropic",
    api: "Messages API",
    baseURL: "https://api.anthropic.com",
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
};
