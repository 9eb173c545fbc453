import * as z from "zod/mini";
import { inRange, nonBlank } from "./setting.ts";

export const DOLLARS = { min: 0, max: 1_000_000 };

/** Users write numbers and booleans for what every program gets as text. */
export function variables() {
  const name = z.string().check(z.regex(/^[A-Za-z_]\w*$/));
  const value = z.union([z.string().check(z.refine((one) => !one.includes("\0"))), z.number(), z.boolean()]);
  return z.record(name, z.pipe(value, z.transform(String)));
}

/**
 * True for variables that no project may set, trusted or not: they redirect the conversation or its key to another
 * server, load code into programs, or replace them (threat model, "untrusted repository").
 */
export function isUserOnlyVariable(name: string): boolean {
  return /^(?:(?:ANTHROPIC|OPENAI|CLAUDE|TROUPE|NODE(?!_ENV$)|LD|DYLD)_.*|(?:HTTPS?|ALL|NO|FTP)_PROXY|PATH|HOME|SHELL|IS_SANDBOX|BASH_ENV|ENV)$/i.test(
    name,
  );
}

export function agentLimits() {
  return z.strictObject({
    tokens: z.exactOptional(inRange({ min: 1, max: 1_000_000_000_000 })),
    usd: z.exactOptional(inRange(DOLLARS)),
    turns: z.exactOptional(inRange({ min: 1, max: 100_000 })),
    minutes: z.exactOptional(inRange({ min: 0.01, max: 10_080 })),
  });
}

/** Cached input costs as much as other input unless the file says otherwise: rather too much than too little. */
export function prices() {
  const dollars = () => inRange(DOLLARS);
  const price = z.strictObject({
    ...{ input: dollars(), output: dollars() },
    ...{ cacheWrite: z.exactOptional(dollars()), cacheRead: z.exactOptional(dollars()) },
  });
  const complete = z.transform(
    ({ input, output, cacheWrite = input, cacheRead = input }: z.infer<typeof price>) => ({
      ...{ input, output, cacheWrite, cacheRead },
    }),
  );
  return z.record(z.string(), z.pipe(price, complete));
}

export function statusLineCommand() {
  return {
    what: 'an object with "type": "command" and a "command", and perhaps a "padding" from 0 to 40',
    schema: z.object({
      type: z.literal("command"),
      command: nonBlank(),
      padding: z.optional(z.int().check(z.minimum(0), z.maximum(40))),
    }),
  };
}
