/** Bounds on the time and the memory that a server may use. */
export interface McpLimits {
  /** Milliseconds until a server must have answered for the first time. */
  readonly startMs: number;
  /** Milliseconds without a result and without progress after which a call is given up. */
  readonly callMs: number;
  /** Milliseconds after which a call is given up in any case. */
  readonly longestCallMs: number;
  /** Characters of a result that a model gets; the whole is in a file. */
  readonly resultChars: number;
  /** Of one message; a server that sends more is ended. */
  readonly messageBytes: number;
  /** Of all messages within a minute that reply to no request; a server that sends more is ended. */
  readonly unaskedBytes: number;
  readonly reconnects: number;
  /** Milliseconds before the first retry; each further one waits twice as long, at most `longestReconnectMs`. */
  readonly reconnectMs: number;
  readonly longestReconnectMs: number;
  readonly signInMs: number;
}

/** 25,000 tokens (our figure of the threat table). */
const TOKENS = 25_000;
const CHARS_PER_TOKEN = 4;

export const defaultMcpLimits: McpLimits = {
  startMs: 30_000,
  callMs: 300_000,
  longestCallMs: 3_600_000,
  resultChars: TOKENS * CHARS_PER_TOKEN,
  messageBytes: 16 * 1024 * 1024,
  unaskedBytes: 16 * 1024 * 1024,
  reconnects: 5,
  reconnectMs: 1_000,
  longestReconnectMs: 30_000,
  signInMs: 600_000,
};

/** Reads the limits of the environment: MCP_TIMEOUT and MCP_TOOL_TIMEOUT (milliseconds), MAX_MCP_OUTPUT_TOKENS. */
export function limitsFromEnvironment(env: Readonly<Record<string, string | undefined>>): Partial<McpLimits> {
  const start = readPositive(env["MCP_TIMEOUT"]);
  const call = readPositive(env["MCP_TOOL_TIMEOUT"]);
  const tokens = readPositive(env["MAX_MCP_OUTPUT_TOKENS"]);
  return {
    ...(start === null ? {} : { startMs: start }),
    ...(call === null ? {} : { callMs: call, longestCallMs: Math.max(call, defaultMcpLimits.longestCallMs) }),
    ...(tokens === null ? {} : { resultChars: tokens * CHARS_PER_TOKEN }),
  };
}

function readPositive(text: string | undefined): number | null {
  const number = Number(text?.trim() || Number.NaN);
  return Number.isFinite(number) && number > 0 ? number : null;
}
