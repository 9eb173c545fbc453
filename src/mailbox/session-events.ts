import * as z from "zod/mini";
import { Compacted } from "./compacted.ts";
import { Message } from "./conversation.ts";
import { ActorId, CallId, SessionId } from "./ids.ts";
import { ActorSpec, CallResult, Reply, Status, Summary, Turn } from "./messages.ts";
import { TaskChange } from "./task-graph.ts";

/** Raised when a record or its line changes; an older one is migrated on reading, a newer one refused. */
export const JOURNAL_VERSION = 4;

/**
 * What happened in a session, one JSON line each. Resume is a fold over these (promise 4); the journal
 * adds `seq` (from 1, no gaps) and `at` (wall time, for people only).
 */
export const SessionEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("session"),
    version: z.number(),
    id: SessionId,
    cwd: z.string(),
    model: z.string(),
    /** What the session was started with, as a person would recognise it. */
    title: z.string(),
    /** The session this one is a copy of, up to here. */
    forkedFrom: z.optional(SessionId),
  }),
  /**
   * Said to an actor by the person or another actor (`from`). The turn whose steering names the `id` has heard it;
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
  /**
   * An agent was asked for; its thread may start later. `call` is the asking tool call, if any. `background`: its
   * result is told, not returned. `fork`: the spec's messages follow what its parent's conversation is at this record.
   */
  z.object({
    type: z.literal("spawn"),
    spec: ActorSpec,
    call: z.nullable(CallId),
    background: z.optional(z.literal(true)),
    fork: z.optional(z.literal(true)),
  }),
  /** An actor that had ended goes on: its `run`-th run, for `owner`, who gets the result (null: the person). */
  z.object({
    type: z.literal("reopen"),
    actor: ActorId,
    run: z.number(),
    owner: z.nullable(ActorId),
    call: z.nullable(CallId),
    background: z.optional(z.literal(true)),
    maxTurns: z.number(),
  }),
  z.object({ type: z.literal("start"), actor: ActorId, attempt: z.number() }),
  /** Durable before a call with side effects runs. */
  z.object({
    type: z.literal("before"),
    actor: ActorId,
    call: CallId,
    tool: z.string(),
    input: z.unknown(),
    decision: z.string(),
    /** What decided, and why: rules, a hook, the person, or that there was nobody to ask. */
    by: z.optional(z.string()),
    reason: z.optional(z.string()),
    /** The rule that decided, with the file it stands in. */
    rule: z.optional(
      z.object({
        text: z.string(),
        behaviour: z.string(),
        scope: z.string(),
        file: z.optional(z.string()),
      }),
    ),
    /** What an allowed command rests on: rules, a confinement, the reading alone, or the mode. */
    tier: z.optional(z.enum(["rule", "enforced", "plain", "mode"])),
  }),
  /** `result` where running the call again could do something twice. */
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
  /** From here on the model is shown the actor's conversation like this; all of it stays in the journal. */
  z.object({ type: z.literal("compacted"), actor: ActorId, compacted: Compacted }),
  /** The one result of a run, durable before anybody hears of it. `run`: 1 where absent. */
  z.object({
    type: z.literal("summary"),
    actor: ActorId,
    run: z.optional(z.number()),
    summary: Summary,
    durationMs: z.number(),
  }),
  /** A command runs beside the conversation; without a `command-end` it was ended with the program. */
  z.object({
    type: z.literal("command"),
    actor: ActorId,
    task: z.string(),
    title: z.string(),
    path: z.string(),
  }),
  /** `told`: its owner ended it, or has ended: nobody waits to hear of it. */
  z.object({
    type: z.literal("command-end"),
    actor: ActorId,
    task: z.string(),
    ending: z.string(),
    status: z.optional(z.enum(["completed", "failed", "killed"])),
    told: z.optional(z.literal(true)),
  }),
  /** The task graph is the fold of these. */
  z.object({ type: z.literal("task"), actor: ActorId, change: TaskChange }),
  /** `agents`: how many were spawned, so that a list of sessions need not read the whole journal. */
  z.object({
    type: z.literal("end"),
    status: Status,
    agents: z.optional(z.number()),
    /** The first prompt, where the session was started without a title. */
    title: z.optional(z.string()),
  }),
]);
export type SessionEvent = z.infer<typeof SessionEvent>;

export const JournalRecord = z.object({ seq: z.number(), at: z.string(), event: SessionEvent });
export type JournalRecord = z.infer<typeof JournalRecord>;
