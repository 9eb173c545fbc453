import * as z from "zod/mini";
import { Message } from "./conversation.ts";
import { ActorId, CallId, SessionId } from "./ids.ts";
import { ActorSpec, Status, Summary, Turn } from "./messages.ts";
import { TaskChange } from "./task-graph.ts";

/** Raised when a record changes its meaning; an older one is migrated on reading, a newer one refused. */
export const JOURNAL_VERSION = 1;

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
  }),
  /** Said to an actor by the person or another actor; the turn that hears it carries it from then on. */
  z.object({ type: z.literal("prompt"), actor: ActorId, message: Message }),
  /** An agent was asked for; its thread may start later. `call` is the asking tool call, if any. */
  z.object({ type: z.literal("spawn"), spec: ActorSpec, call: z.nullable(CallId) }),
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
  }),
  z.object({ type: z.literal("after"), actor: ActorId, call: CallId, isError: z.boolean() }),
  z.object({ type: z.literal("turn"), actor: ActorId, turn: Turn }),
  z.object({ type: z.literal("summary"), actor: ActorId, summary: Summary, durationMs: z.number() }),
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
