/** Starts three agents, waits until all have reported, and gives their reports to one more. */
import { agentReport, defineActor } from "troupe/actor";
import * as z from "zod";

export const reviewer = defineActor({
  name: "reviewer",
  module: import.meta.url,
  messages: {
    review: { input: z.object({ questions: z.array(z.string()).length(3), about: z.string() }) },
    found: { input: agentReport },
    concluded: { input: agentReport },
    verdict: { input: z.object({}), reply: z.object({ verdict: z.string().nullable() }) },
  },
  state: z.object({
    about: z.string().default(""),
    found: z.array(z.string()).default([]),
    verdict: z.string().nullable().default(null),
  }),
  receive: {
    review(state, { questions, about }, context) {
      for (const prompt of questions) context.startAgent({ prompt }, "found");
      return { state: { ...state, about } };
    },
    found(state, { status, text }, context) {
      const found = [...state.found, `${status}: ${text}`];
      if (found.length === 3)
        context.startAgent(
          { prompt: `${state.about}\n\nThree agents reported:\n${found.join("\n")}` },
          "concluded",
        );
      return { state: { ...state, found } };
    },
    concluded: (state, { status, text }) => ({ state: { ...state, verdict: `${status}: ${text}` } }),
    verdict: ({ verdict }) => ({ reply: { verdict } }),
  },
});
