/** Starts three agents, waits until all have reported, and sums up. */
import { agentReport, defineActor } from "troupe/actor";
import * as z from "zod";

export const reviewer = defineActor({
  name: "reviewer",
  module: import.meta.url,
  messages: {
    review: { input: z.object({ questions: z.array(z.string()).length(3) }) },
    found: { input: agentReport },
    /** `review`: null until all have reported. */
    result: { input: z.object({}), reply: z.object({ review: z.string().nullable() }) },
  },
  state: z.object({ found: z.array(z.object({ status: z.string(), text: z.string() })).default([]) }),
  receive: {
    review(_state, { questions }, context) {
      for (const prompt of questions) context.startAgent({ prompt }, "found");
      return { state: { found: [] } };
    },
    found: ({ found }, { status, text }) => ({ state: { found: [...found, { status, text }] } }),
    result({ found }) {
      if (found.length < 3) return { reply: { review: null } };
      const done = found.filter(({ status }) => status === "done").length;
      const lines = found.map(({ status, text }) => `- ${status}: ${text.split("\n")[0]}`);
      return { reply: { review: [`${done} of 3 agents are done.`, ...lines].join("\n") } };
    },
  },
});
