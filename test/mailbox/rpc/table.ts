import { setImmediate as nextTick } from "node:timers/promises";
import * as z from "zod/mini";
import type { Handlers } from "../../../src/mailbox/rpc/table.ts";

/** The requests that the tests of the RPC are made with. */
export const TABLE = {
  double: { request: z.number(), response: z.number() },
  fail: { request: z.string(), response: z.null() },
  /** Its events count up to the number. */
  count: { request: z.number(), response: z.number(), event: z.number() },
  /** Ends only when it is cancelled; says so if it is to undo something first. */
  wait: { request: z.enum(["undo", "stay"]), response: z.string() },
  /** Never ends. */
  hang: { request: z.null(), response: z.null() },
  /** Its response is not what the table says. */
  lie: { request: z.null(), response: z.number() },
  /** Ends its process. */
  die: { request: z.null(), response: z.null() },
} as const;

export const HANDLERS: Handlers<typeof TABLE> = {
  double: (n) => n * 2,
  fail(message) {
    throw new TypeError(message);
  },
  async count(n, { event }) {
    for (let i = 1; i <= n; i += 1) event(i);
    return n;
  },
  wait: (how, { signal }) =>
    new Promise((resolve, reject) => {
      signal.addEventListener("abort", async () => {
        await nextTick();
        if (how === "undo") reject(signal.reason);
        else resolve("stayed");
      });
    }),
  hang: () => new Promise(() => {}),
  lie: () => "seven" as never,
  die: () => process.exit(3),
};
