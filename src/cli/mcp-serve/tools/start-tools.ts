import * as z from "zod/mini";
import type { ServedTool } from "../served-tool.ts";
import { type Hints, servedTool } from "../served-tool.ts";
import type { Serving } from "../serving.ts";
import { ShownAgents } from "../shown-agent.ts";
import { requestFor, startOptions } from "../start-options.ts";
import { startAndAwait, startInBackground } from "../started-agents.ts";

const MOST_PROMPTS = 100;

/** What agents do is bounded by the server's permissions; whether that can destroy something is for these to say. */
const WORKS: Hints = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };

const prompt = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(1_000_000),
    z.describe("The task, complete in itself: the agent sees nothing else of this conversation (required)"),
  );

const SpawnInput = z.strictObject({
  prompt,
  description: z.optional(
    z.string().check(z.describe("The task in three to five words, for whoever looks on")),
  ),
  ...startOptions,
});

const FanOutInput = z.strictObject({
  prompts: z
    .array(prompt)
    .check(
      z.minLength(1),
      z.maxLength(MOST_PROMPTS),
      z.describe(`One agent for each; at most ${MOST_PROMPTS} (required)`),
    ),
  ...startOptions,
});

/** spawn_agent and fan_out. */
export function startTools(serving: Serving): readonly ServedTool[] {
  return [
    servedTool({
      name: "spawn_agent",
      title: "Run one agent",
      description: [
        "Runs one agent on one task: a conversation of its own, with its own context window and tools, in the server's folder. Answers with its one report, and with how it ended, whatever happens.",
        "Use it for work whose details need not be here: a search over many files, a review, a change that can be described. Two calls at once run side by side.",
      ].join("\n"),
      input: SpawnInput,
      output: ShownAgents,
      hints: WORKS,
      run({ prompt, description, background, ...options }, call) {
        const requests = [requestFor(serving, options, { prompt, description })];
        return background ? startInBackground(serving, requests) : startAndAwait(serving, requests, call);
      },
    }),
    servedTool({
      name: "fan_out",
      title: "Run several agents side by side",
      description: [
        "Runs one agent for each prompt, all at the same time, and answers when all have ended: one report each, in the order of the prompts. One that fails does not end the others.",
        "Use it for independent questions or parts of one job. Agents do not see each other; with edits, give each its own files, or isolation.",
      ].join("\n"),
      input: FanOutInput,
      output: ShownAgents,
      hints: WORKS,
      run({ prompts, background, ...options }, call) {
        const requests = prompts.map((one) => requestFor(serving, options, { prompt: one }));
        return background ? startInBackground(serving, requests) : startAndAwait(serving, requests, call);
      },
    }),
  ];
}
