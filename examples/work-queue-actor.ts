/** Starts an agent for each task, a few at a time, and collects their reports. */
import { agentReport, defineActor } from "troupe/actor";
import * as z from "zod";

const report = z.object({ status: z.string(), text: z.string() });

export const queue = defineActor({
  name: "queue",
  module: import.meta.url,
  messages: {
    add: { input: z.object({ task: z.string() }) },
    done: { input: agentReport },
    status: { input: z.object({}), reply: z.object({ open: z.number(), reports: z.array(report) }) },
  },
  state: z.object({
    atOnce: z.number().default(4),
    running: z.number().default(0),
    waiting: z.array(z.string()).default([]),
    reports: z.array(report).default([]),
  }),
  receive: {
    add(state, { task }, context) {
      if (state.running >= state.atOnce) return { state: { ...state, waiting: [...state.waiting, task] } };
      context.startAgent({ type: "Explore", prompt: task }, "done");
      return { state: { ...state, running: state.running + 1 } };
    },
    done(state, { status, text }, context) {
      const reports = [...state.reports, { status, text }];
      const [next, ...waiting] = state.waiting;
      if (next === undefined) return { state: { ...state, reports, running: state.running - 1 } };
      context.startAgent({ type: "Explore", prompt: next }, "done");
      return { state: { ...state, reports, waiting } };
    },
    status: ({ running, waiting, reports }) => ({ reply: { open: running + waiting.length, reports } }),
  },
});
