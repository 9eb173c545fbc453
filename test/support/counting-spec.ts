import { MAIN } from "../../src/mailbox/ids.ts";
import type { ActorSpec } from "../../src/mailbox/messages.ts";

/** A main conversation whose one tool counts, on the supervisor's side. */
export const countingSpec: ActorSpec = {
  id: MAIN,
  parent: null,
  depth: 0,
  attempt: 1,
  type: "main",
  description: "counts",
  system: ["You count."],
  tools: [
    {
      name: "Count",
      description: "Counts.",
      input_schema: { type: "object" },
      side: "supervisor",
      aliases: [],
      parallel: true,
    },
  ],
  model: "scripted",
  maxTokens: 100,
  maxTurns: 50,
  root: process.cwd(),
  additionalDirs: [],
  messages: [{ role: "user", content: "count" }],
  turns: [],
  heard: [],
};
