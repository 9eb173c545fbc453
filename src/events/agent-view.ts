import * as z from "zod/mini";
import { Usage } from "../mailbox/conversation.ts";
import { ActorId, CallId } from "../mailbox/ids.ts";
import { Summary } from "../mailbox/messages.ts";

/** The states of an agent, in the order in which it passes them. */
export const AgentState = z.enum([
  "queued",
  "starting",
  "running",
  "paused",
  "waiting",
  "cancelling",
  "ended",
]);
export type AgentState = z.infer<typeof AgentState>;

/** What an agent is doing right now, in words that a user can read. */
export const Activity = z.discriminatedUnion("type", [
  z.object({ type: z.literal("idle") }),
  z.object({
    type: z.literal("model"),
    writes: z.exactOptional(
      z.string().check(z.describe("The tool that the model is about to call: it is writing the call now.")),
    ),
  }),
  z.object({ type: z.literal("tool"), tool: z.string(), title: z.string() }),
  z.object({ type: z.literal("asking") }).check(z.describe("It waits for an answer of the user.")),
  z.object({
    type: z.literal("retrying"),
    reason: z.string(),
    until: z.number(),
    attempt: z
      .nullable(z.number())
      .check(z.describe("As in the `waiting` event: null if a silent stream is given up at `until`.")),
  }),
  z
    .object({
      type: z.literal("paused"),
      model: z.string(),
      reason: z.string(),
      from: z.number(),
      until: z.number(),
      at: z.string(),
    })
    .check(z.describe("Its model is paused, since `from`; `at` is `until` in wall time, ISO 8601.")),
]);
export type Activity = Readonly<z.infer<typeof Activity>>;

/** Why the model is waited for. */
export type ModelWait = Extract<Activity, { type: "retrying" | "paused" }>;

/** One line of the live tree. Times are of the session's monotonic clock, in milliseconds. */
export const AgentView = z.object({
  id: ActorId,
  parent: z.nullable(ActorId),
  depth: z.number(),
  type: z.string(),
  description: z.string(),
  call: z
    .nullable(CallId)
    .check(z.describe("The call that asked for its run, or null: a user or a program did.")),
  key: z.exactOptional(z.string().check(z.describe("Of `spawn`: what it does in its session."))),
  answersKey: z.exactOptional(
    z
      .boolean()
      .check(z.describe("With a `key`: a later spawn with this key gets its result, and starts no agent.")),
  ),
  runner: z.exactOptional(z.string().check(z.describe("The machine that it runs on, if not this one."))),
  attempt: z.exactOptional(
    z.number().check(z.describe("On a runner: which of its attempts this is, if others were lost.")),
  ),
  state: AgentState,
  activity: Activity,
  doing: z
    .nullable(z.string())
    .check(z.describe("The step it works on, as it calls the step, or null if it keeps no list.")),
  model: z.string(),
  turns: z.number(),
  usage: Usage,
  costUsd: z.number().check(z.describe("As far as prices are known.")),
  background: z.boolean().check(z.describe("Its result comes as a notice.")),
  hasLoop: z
    .boolean()
    .check(z.describe("Its loop runs. One that has answered and is kept for its background has none.")),
  lastSignAt: z.number().check(z.describe("When anything came from it or for it last.")),
  trouble: z.nullable(z.string()).check(z.describe("What a watch has found wrong, as a sentence, or null.")),
  overlap: z
    .nullable(z.string())
    .check(z.describe("If another agent writes to the same file: a short phrase, or null.")),
  createdAt: z.number(),
  startedAt: z.nullable(z.number()),
  endedAt: z.nullable(z.number()),
  summary: z.nullable(Summary),
});
export type AgentView = Readonly<z.infer<typeof AgentView>>;
