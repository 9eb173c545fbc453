/** A token bucket. Its module is imported by the actor's thread, so it holds nothing else. */
import { defineActor } from "troupe/actor";
import * as z from "zod";

export const limiter = defineActor({
  name: "limiter",
  module: import.meta.url,
  messages: {
    /** `now`: milliseconds of the caller's clock. `waitMs`: 0 if the caller may go. */
    take: { input: z.object({ now: z.number() }), reply: z.object({ waitMs: z.number() }) },
  },
  state: z.object({
    tokens: z.number().default(10),
    perSecond: z.number().default(10),
    at: z.number().default(0),
  }),
  receive: {
    take(state, { now }) {
      const at = Math.max(now, state.at);
      const tokens = Math.min(10, state.tokens + ((at - state.at) / 1_000) * state.perSecond);
      if (tokens < 1)
        return {
          state: { ...state, tokens, at },
          reply: { waitMs: Math.ceil((1 - tokens) * (1_000 / state.perSecond)) },
        };
      return { state: { ...state, tokens: tokens - 1, at }, reply: { waitMs: 0 } };
    },
  },
});
