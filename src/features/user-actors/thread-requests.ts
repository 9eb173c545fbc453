import * as z from "zod/mini";
import { Outgoing } from "../../journal/user-actors.ts";

/** What the session asks of an actor's thread. */
export const threadRequests = {
  /** Imports the module. Returns the state, which must fit the definition; absent: its initial value. */
  start: {
    request: z.object({
      module: z.string(),
      definition: z.string(),
      name: z.string(),
      state: z.optional(z.unknown()),
    }),
    response: z.object({ state: z.unknown() }),
  },
  /** Handles one message. `state`: absent if it did not change. */
  receive: {
    request: z.object({ message: z.string(), input: z.unknown(), sender: z.nullable(z.string()) }),
    response: z.object({
      state: z.optional(z.unknown()),
      reply: z.optional(z.unknown()),
      /** With keys that are unique in this message. */
      sent: z.array(Outgoing),
    }),
  },
};

/** What a handler asks of the session while it runs. */
export const sessionRequests = {
  ask: {
    request: z.object({
      to: z.string(),
      message: z.string(),
      input: z.unknown(),
      deadlineMs: z.number(),
    }),
    response: z.unknown(),
  },
};
