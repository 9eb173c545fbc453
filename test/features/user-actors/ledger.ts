import * as z from "zod/mini";
import { defineActor } from "../../../src/features/user-actors/define-actor.ts";

const numbers = z._default(z.array(z.number()), []);

/** Holds the numbers that `ledger` has sent on. */
export const copy = defineActor({
  name: "copy",
  module: import.meta.url,
  messages: {
    add: { input: z.object({ n: z.number() }) },
    list: { input: z.object({}), reply: z.array(z.number()) },
  },
  state: z.object({ numbers }),
  receive: {
    add: (state, { n }) => ({ state: { numbers: [...state.numbers, n] } }),
    list: (state) => ({ reply: state.numbers }),
  },
});

export const ledger = defineActor({
  name: "ledger",
  module: import.meta.url,
  messages: {
    add: { input: z.object({ n: z.number() }), reply: z.number() },
    list: { input: z.object({}), reply: z.array(z.number()) },
  },
  state: z.object({ numbers }),
  receive: {
    add(state, { n }, context) {
      context.tell(copy.at(), "add", { n });
      return { state: { numbers: [...state.numbers, n] }, reply: n };
    },
    list: (state) => ({ reply: state.numbers }),
  },
});
