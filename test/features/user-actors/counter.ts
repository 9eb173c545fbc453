import * as z from "zod/mini";
import { agentReport, defineActor } from "../../../src/features/user-actors/define-actor.ts";

/** Forwards what it is given, so that order and delivery between actors can be seen. */
export const log = defineActor({
  name: "log",
  module: import.meta.url,
  messages: {
    line: { input: z.object({ text: z.string() }) },
    lines: { input: z.object({}), reply: z.array(z.string()) },
    text: { input: z.string() },
  },
  state: z.object({ lines: z._default(z.array(z.string()), []) }),
  receive: {
    line: ({ lines }, { text }, { sender }) => ({ state: { lines: [...lines, `${sender}: ${text}`] } }),
    lines: ({ lines }) => ({ reply: lines }),
    text: ({ lines }, text, { sender }) => ({ state: { lines: [...lines, `${sender}: ${text}`] } }),
  },
});

export const counter = defineActor({
  name: "counter",
  module: import.meta.url,
  messages: {
    add: { input: z.object({ n: z.number() }), reply: z.object({ sum: z.number() }) },
    sum: { input: z.object({}), reply: z.number() },
    relay: { input: z.object({ text: z.string(), ending: z.optional(z.enum(["throw"])) }) },
    total: { input: z.object({ of: z.string() }), reply: z.number() },
    wait: { input: z.object({}), reply: z.boolean() },
    fail: { input: z.object({ how: z.enum(["throw", "exit", "loop", "later", "state", "reply"]) }) },
    work: { input: z.object({ prompt: z.string() }) },
    done: { input: agentReport },
    reports: { input: z.object({}), reply: z.array(z.string()) },
    say: { input: z.object({ agent: z.string(), text: z.string() }) },
  },
  state: z.object({ sum: z._default(z.number(), 0), reports: z._default(z.array(z.string()), []) }),
  mailbox: 5,
  handlerMs: 2_000,
  restarts: { most: 2, withinMs: 60_000 },
  receive: {
    add: (state, { n }) => ({ state: { ...state, sum: state.sum + n }, reply: { sum: state.sum + n } }),
    sum: ({ sum }) => ({ reply: sum }),
    relay(state, { text, ending }, context) {
      context.tell(log.at(), "line", { text });
      if (ending === "throw") throw new Error("thrown after it was told");
      return { state: { ...state, sum: state.sum + 1 } };
    },
    total: async ({ sum }, { of }, context) => ({
      reply: sum + (await context.ask(log.at(of), "lines", {}, { deadlineMs: 200 })).length,
    }),
    wait: (_state, _input, { signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve({ reply: true }))),
    fail(state, { how }) {
      if (how === "throw") throw new Error("thrown");
      if (how === "exit") process.exit(3);
      while (how === "loop");
      if (how === "later") setImmediate(() => process.exit(4));
      return { state: how === "state" ? ({ ...state, sum: "many" } as never) : state };
    },
    work(_state, { prompt }, context) {
      context.startAgent({ type: "worker", prompt }, "done");
    },
    done: (state, { status, text }) => ({
      state: { ...state, reports: [...state.reports, `${status}: ${text}`] },
    }),
    reports: ({ reports }) => ({ reply: reports }),
    say: (_state, { agent, text }, context) => context.text(agent, text),
  },
});
