import * as z from "zod/mini";

/** How much a server may take, of time and of room. */
export const McpLimits = z.object({
  /** Milliseconds until a server must have answered for the first time. */
  startMs: z.number(),
  /** Milliseconds without a result and without progress after which a call is given up. */
  callMs: z.number(),
  /** Milliseconds after which it is given up whatever it says. */
  longestCallMs: z.number(),
  /** Characters of a result that a model gets; the whole is in a file. */
  resultChars: z.number(),
  /** Of one message; a server that sends more is ended. */
  messageBytes: z.number(),
  /** Of all messages within a minute that reply to no request; a server that sends more is ended. */
  unaskedBytes: z.number(),
  /** How often a lost connection is tried again. */
  reconnects: z.number(),
  /** Milliseconds before the first of them; each further one waits twice as long, at most `longestReconnectMs`. */
  reconnectMs: z.number(),
  longestReconnectMs: z.number(),
  /** Milliseconds that somebody has to sign in: they type a password, and look for their telephone. */
  signInMs: z.number(),
});
export type McpLimits = z.infer<typeof McpLimits>;

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

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What people set by variables: MCP_TIMEOUT and MCP_TOOL_TIMEOUT in milliseconds, MAX_MCP_OUTPUT_TOKENS. */
export function limitsFromEnvironment(env: Readonly<Record<string, string | undefined>>): Partial<McpLimits> {
  const start = positive(env["MCP_TIMEOUT"]);
  const call = positive(env["MCP_TOOL_TIMEOUT"]);
  const tokens = positive(env["MAX_MCP_OUTPUT_TOKENS"]);
  return {
    ...(start === null ? {} : { startMs: start }),
    ...(call === null ? {} : { callMs: call, longestCallMs: Math.max(call, defaultMcpLimits.longestCallMs) }),
    ...(tokens === null ? {} : { resultChars: tokens * CHARS_PER_TOKEN }),
  };
}

function positive(text: string | undefined): number | null {
  const number = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(number) && number > 0 ? Math.min(number, LONGEST_TIMER_MS) : null;
}
