import * as z from "zod/mini";
import { Trigger } from "../mailbox/compacted.ts";
import { type ContentBlockParam, Usage } from "../mailbox/conversation.ts";
import { ActorId } from "../mailbox/ids.ts";
import { Status, Summary } from "../mailbox/messages.ts";
import { ModelPause } from "../mailbox/model.ts";
import { WorktreeResult } from "../mailbox/worktree.ts";
import type { UserAnswer, UserRequest } from "../policy/user-requests.ts";
import { AgentResult } from "./agent-result.ts";
import { AgentView } from "./agent-view.ts";
import { CallBeginEvent, CallEndEvent, CallProgressEvent } from "./call.ts";

export type { Activity, AgentState, AgentView, ModelWait } from "./agent-view.ts";

/** Counted up when a field changes its meaning or goes; more fields and types of events may come at any time. */
export const EVENTS_VERSION = 1;

/** Why the user must look at a result: its edits are not in the checkout, its check failed, or its budget ran out. */
export const ResultDecision = z.enum(["conflict", "rejected", "over_budget", "unmerged"]);
export type ResultDecision = z.infer<typeof ResultDecision>;

const Request = z
  .custom<UserRequest>(hasType)
  .check(z.describe("A `PermissionRequest`, `QuestionRequest` or `PlanRequest` of the library."));
const Answer = z.custom<UserAnswer>(hasType).check(z.describe("A `UserAnswer` of the library."));

/** Something that waits for the user, as `troupe inbox` lists it. */
export const WaitingForUser = z.union([
  z.object({ type: z.literal("paused"), pause: ModelPause }),
  z.object({
    type: z.literal("result"),
    decision: ResultDecision,
    actor: ActorId,
    title: z.string(),
    summary: Summary,
  }),
  Request,
]);
export type WaitingForUser = Readonly<z.infer<typeof WaitingForUser>>;

const Content = z
  .custom<string | readonly ContentBlockParam[]>((value) => typeof value === "string" || Array.isArray(value))
  .check(z.describe("Text, or blocks of the Messages API."));

/** A message of a conversation, once it is recorded: a reply, or the results of its calls. */
export const MessageEvent = z
  .object({
    type: z.literal("message"),
    actor: ActorId,
    turn: z.number(),
    role: z.enum(["user", "assistant"]),
    content: Content,
    model: z.exactOptional(z.string().check(z.describe("Of a reply, as is `usage`."))),
    usage: z.exactOptional(Usage),
  })
  .check(
    z.describe("A message of a conversation, once it is recorded: a reply, or the results of its calls."),
  );
export type MessageEvent = Readonly<z.infer<typeof MessageEvent>>;

/** Text that an actor has received. */
export const PromptEvent = z
  .object({
    type: z.literal("prompt"),
    actor: ActorId,
    content: Content,
    from: z
      .nullable(ActorId)
      .check(z.describe("The agent that wrote it; null for the user and the runtime.")),
    notice: z.exactOptional(z.literal(true).check(z.describe("The runtime wrote it."))),
  })
  .check(
    z.describe(
      "Text that an actor has received: its first prompt, then each message and notice once a recorded reply or turn has read it.",
    ),
  );
export type PromptEvent = Readonly<z.infer<typeof PromptEvent>>;

/** What a session reports to its listener. None of it needs an answer. */
export const SupervisorEvent = z.discriminatedUnion("type", [
  z
    .object({
      type: z.literal("session"),
      id: z.string(),
      title: z.string(),
      cwd: z.string(),
      model: z.string().check(z.describe("Of the main conversation.")),
      mode: z.exactOptional(
        z.string().check(z.describe("The permission mode; absent if a journal is read: it is not recorded.")),
      ),
      status: z.nullable(Status).check(z.describe("How it ended; null while it is open.")),
    })
    .check(z.describe("The session was opened or resumed, has another title, model or mode, or was ended.")),
  PromptEvent,
  CallBeginEvent,
  CallProgressEvent,
  CallEndEvent,
  MessageEvent,
  z
    .object({ type: z.literal("agent"), view: AgentView })
    .check(
      z.describe(
        "An agent has started, changed or ended. Times are of the session's monotonic clock, in milliseconds.",
      ),
    ),
  z
    .object({ type: z.literal("text"), actor: ActorId, text: z.string(), turn: z.number() })
    .check(
      z.describe(
        "A piece of the visible reply of the main conversation, or of an agent that is watched, as it is written; pieces of one reply have one `turn`.",
      ),
    ),
  z
    .object({
      ...{ type: z.literal("thinking"), actor: ActorId, text: z.string(), turn: z.number() },
      forUser: z.exactOptional(z.literal(true)),
    })
    .check(
      z.describe(
        "A piece of what the main conversation's model thinks before it answers, as it is written. `forUser`: it tells the user what it does between calls.",
      ),
    ),
  z
    .object({
      type: z.literal("waiting"),
      actor: ActorId,
      reason: z.string(),
      ms: z.number(),
      attempt: z
        .nullable(z.number())
        .check(z.describe("If it is null, nothing is tried again: a silent stream is given up then.")),
      status: z
        .optional(z.number())
        .check(z.describe("The HTTP status of the failed attempt, if the server gave one.")),
    })
    .check(z.describe("The model is being waited for; show a countdown.")),
  z
    .object({
      type: z.literal("paused"),
      model: z.string(),
      until: z.string().check(z.describe("When one agent tries again, ISO 8601.")),
      since: z.string().check(z.describe("The first pause since the model answered last, ISO 8601.")),
      reason: z.string(),
    })
    .check(
      z.describe(
        "A model is paused for a limit, or because its server is out of reach: all agents that need it wait. Reported once for each time.",
      ),
    ),
  z
    .object({ type: z.literal("asked"), id: z.string(), what: WaitingForUser })
    .check(
      z.describe(
        "Something waits for the user, who can answer it here or with `troupe inbox`. Again with this `id` if it has changed: another agent asks for the same, or a pause takes longer.",
      ),
    ),
  z
    .object({
      type: z.literal("settled"),
      id: z.string(),
      answer: z
        .nullable(Answer)
        .check(z.describe("The user's, from wherever it came; null if it ended without one.")),
    })
    .check(z.describe("What was asked no longer waits.")),
  z
    .object({
      type: z.literal("compacted"),
      actor: ActorId,
      trigger: Trigger,
      before: z
        .number()
        .check(z.describe("Tokens of the next request, as far as known; `after` is the same.")),
      after: z.number(),
    })
    .check(z.describe("A conversation was made shorter; its `message` events stay what they were.")),
  z
    .object({
      type: z.literal("queued"),
      actor: ActorId,
      id: z.string(),
      text: z.string(),
      state: z.enum(["waits", "read", "withdrawn"]),
    })
    .check(
      z.describe(
        "A line of the user for an agent that works: it waits for the agent's next turn; later, with the same `id`, a recorded turn has read it, or the user has taken it back.",
      ),
    ),
  z
    .object({
      type: z.literal("merge"),
      actor: ActorId,
      state: z
        .enum(["started", "conflict", "ended"])
        .check(z.describe("`conflict`: the agent continues and resolves it.")),
      conflicts: z.exactOptional(z.array(z.string()).check(z.describe("Paths, at a conflict."))),
      result: z.exactOptional(WorktreeResult.check(z.describe("At the end."))),
    })
    .check(
      z.describe(
        "The edits of an agent with its own worktree are merged, or kept on their branch if it was stopped: then there is only an end.",
      ),
    ),
  z
    .object({
      type: z.literal("command"),
      actor: ActorId,
      task: z.string().check(z.describe("As in `/tasks`.")),
      title: z.string(),
      outputPath: z.string(),
      state: z.enum(["running", "completed", "failed", "killed"]),
      ending: z.exactOptional(z.string().check(z.describe("A sentence, once it has ended."))),
    })
    .check(z.describe("A command or script runs in the background, or has ended there.")),
  z
    .object({ type: z.literal("woken"), because: z.string() })
    .check(
      z.describe("A notice made the main conversation continue by itself; `because` says which, for users."),
    ),
  z
    .object({ type: z.literal("answered"), result: AgentResult })
    .check(z.describe("The result of what a notice has started.")),
  z.object({ type: z.literal("warning"), message: z.string() }).check(z.describe("A sentence for the user.")),
]);
export type SupervisorEvent = Readonly<z.infer<typeof SupervisorEvent>>;

function hasType(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value;
}
