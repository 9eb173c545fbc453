import * as z from "zod/mini";
import { Compacted, Trigger } from "../mailbox/compacted.ts";
import { Message, Usage } from "../mailbox/conversation.ts";
import { ActorId, CallId, SessionId } from "../mailbox/ids.ts";
import { ActorSpec, AgentTool, CallResult, Reply, Status, Summary, Turn } from "../mailbox/messages.ts";
import { ModelPause } from "../mailbox/model.ts";
import { TaskChange } from "./task-graph.ts";
import { UserActorChange } from "./user-actors.ts";

/** Raised when a record or its line changes; an older one is migrated on reading, a newer one refused. */
export const JOURNAL_VERSION = 5;

/**
 * The events of a session, one JSON line each. Resume is a fold over these (promise 4); the journal adds `seq` (from
 * 1, no gaps) and `at` (wall time, for display only).
 */
export const SessionEvent = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.object({
      type: z.literal("session"),
      version: z.number(),
      id: SessionId,
      cwd: z.string(),
      model: z.string(),
      /** What the session was started with, for a user to recognize it. */
      title: z.string(),
      /** The session that this one is a copy of, up to here. */
      forkedFrom: z.optional(SessionId),
    }),
    /** The first prompt of a session that was started without a title. */
    z.object({ type: z.literal("title"), title: z.string() }),
    /**
     * A message to an actor from the user or another actor (`from`). The turn whose steering has the `id` received it;
     * until then it is undelivered. `notice`: text of the runtime; `system`: for the system prompt.
     */
    z.object({
      type: z.literal("prompt"),
      actor: ActorId,
      message: Message,
      id: z.optional(z.string()),
      from: z.optional(ActorId),
      notice: z.optional(z.literal(true)),
      system: z.optional(z.literal(true)),
    }),
    /** The user withdrew a message (its `prompt` has this `id`) before the actor had read it. */
    z.object({ type: z.literal("withdrawn"), actor: ActorId, id: z.string() }),
    /** The user moved an agent to the background: its result comes as a notice. */
    z.object({ type: z.literal("to-background"), actor: ActorId }),
    /** What agents of a type share: nine tenths of what would be written for each of them. `id`: a digest of it. */
    z.object({ type: z.literal("tools"), id: z.string(), tools: z.array(AgentTool) }),
    /**
     * An agent was requested; its thread may start later. `call` is the calling tool call, if any. `background`: its
     * result comes as a notice. `fork`: the spec's messages follow its parent's conversation at this record. `tools`: its
     * spec has none; they are in the `tools` record of this ID.
     */
    z.object({
      type: z.literal("spawn"),
      spec: ActorSpec,
      tools: z.optional(z.string()),
      call: z.nullable(CallId),
      background: z.optional(z.literal(true)),
      fork: z.optional(z.literal(true)),
    }),
    /** An ended actor is resumed: its `run`-th run, for `owner`, which gets the result (null: the user). */
    z.object({
      type: z.literal("reopen"),
      actor: ActorId,
      run: z.number(),
      owner: z.nullable(ActorId),
      call: z.nullable(CallId),
      background: z.optional(z.literal(true)),
      maxTurns: z.number(),
    }),
    /** `left`: why the attempt before left its runner. */
    z.object({
      ...{ type: z.literal("start"), actor: ActorId, attempt: z.number(), left: z.optional(z.string()) },
    }),
    /** A runner has an attempt. */
    z.object({ type: z.literal("boarded"), actor: ActorId, attempt: z.number(), runner: z.string() }),
    /**
     * What comes after this asks this model, and costs what it costs. `lent`: only for the rest of this run. `asked`: the user
     * wants it from the next request on, which another record says.
     */
    z.object({
      type: z.literal("model"),
      actor: ActorId,
      model: z.string(),
      lent: z.optional(z.literal(true)),
      asked: z.optional(z.literal(true)),
    }),
    /** Durable before a call with side effects runs. */
    z.object({
      type: z.literal("before"),
      actor: ActorId,
      call: CallId,
      tool: z.string(),
      input: z.unknown(),
      decision: z.string(),
      /** What decided, and why: rules, a hook, the user, or that no user was available. */
      by: z.optional(z.string()),
      reason: z.optional(z.string()),
      /** The rule that decided, and its file. */
      rule: z.optional(
        z.object({
          text: z.string(),
          behaviour: z.string(),
          scope: z.string(),
          file: z.optional(z.string()),
        }),
      ),
      /** What allowed a command: rules, a confinement, that it only reads, or the mode. */
      tier: z.optional(z.enum(["rule", "enforced", "plain", "mode"])),
    }),
    /** `result` if running the call again could have an effect twice. */
    z.object({
      type: z.literal("after"),
      actor: ActorId,
      call: CallId,
      isError: z.boolean(),
      result: z.optional(CallResult),
    }),
    /** A reply whose calls are about to run. */
    z.object({ type: z.literal("reply"), actor: ActorId, reply: Reply }),
    z.object({ type: z.literal("turn"), actor: ActorId, turn: Turn }),
    /** How the model sees the actor's conversation from here on; all of it stays in the journal. */
    z.object({
      type: z.literal("compacted"),
      actor: ActorId,
      compacted: Compacted,
      /** Why, and the tokens of the next request before and after, as far as known; absent in older journals. */
      trigger: z.optional(Trigger),
      before: z.optional(z.number()),
      after: z.optional(z.number()),
    }),
    /** The only result of a run, durable before it is delivered. `run`: 1 if absent. */
    z.object({
      type: z.literal("summary"),
      actor: ActorId,
      run: z.optional(z.number()),
      summary: Summary,
      durationMs: z.number(),
    }),
    /** A background command; without a `command-end` it ended with the program. */
    z.object({
      type: z.literal("command"),
      actor: ActorId,
      task: z.string(),
      title: z.string(),
      path: z.string(),
      /** The run that can be resumed, of a script instead of a command. */
      script: z.optional(z.string()),
    }),
    /** `told`: no notice is needed, as its owner ended it, or has ended. */
    z.object({
      type: z.literal("command-end"),
      actor: ActorId,
      task: z.string(),
      ending: z.string(),
      status: z.optional(z.enum(["completed", "failed", "killed"])),
      told: z.optional(z.literal(true)),
    }),
    /** What was paid for a request whose reply is in no turn: it was interrupted, or its connection broke. */
    z.object({ type: z.literal("lost-reply"), actor: ActorId, model: z.string(), usage: Usage }),
    /** All agents that need this model wait, also if the session is resumed before it is over. */
    z.object({ type: z.literal("paused"), pause: ModelPause }),
    /** The task graph is the fold of these. */
    z.object({ type: z.literal("task"), actor: ActorId, change: TaskChange }),
    /** An actor of a library user, by its name. */
    z.object({ type: z.literal("user-actor"), name: z.string(), change: UserActorChange }),
    /** `agents`: the number of spawns, so that a list of sessions need not read the whole journal. */
    z.object({
      type: z.literal("end"),
      status: Status,
      agents: z.optional(z.number()),
      /** Of the main conversation and all agents, as far as prices are known. */
      costUsd: z.optional(z.number()),
      /** If the first `session` record has none. */
      title: z.optional(z.string()),
    }),
  ]),
);
export type SessionEvent = z.infer<typeof SessionEvent>;

export const JournalRecord = z.lazy(() => z.object({ seq: z.number(), at: z.string(), event: SessionEvent }));
export type JournalRecord = z.infer<typeof JournalRecord>;
