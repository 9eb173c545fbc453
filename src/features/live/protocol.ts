import * as z from "zod/mini";
import { Usage } from "../../mailbox/conversation.ts";
import { ActorId, SessionId } from "../../mailbox/ids.ts";
import { Status } from "../../mailbox/messages.ts";

/** The first line a viewer is told. */
export const LiveHello = z.object({
  type: z.literal("hello"),
  protocol: z.number(),
  session: SessionId,
  cwd: z.string(),
  model: z.string(),
  /** Of the process that owns the session. */
  pid: z.number(),
  /** Wall time, ISO 8601. */
  startedAt: z.string(),
});
export type LiveHello = z.infer<typeof LiveHello>;

const LiveActivity = z.discriminatedUnion("type", [
  z.object({ type: z.literal("idle") }),
  z.object({ type: z.literal("model") }),
  z.object({ type: z.literal("tool"), tool: z.string(), title: z.string() }),
  z.object({
    type: z.literal("retrying"),
    reason: z.string(),
    until: z.number(),
    attempt: z.nullable(z.number()),
  }),
]);

/**
 * One agent as a viewer sees it: the `AgentView` of the session, but of its summary only how it ended; what it
 * found out is long, and stands in the journal. Words are cut to what a line can show.
 */
export const LiveAgent = z.object({
  id: ActorId,
  parent: z.nullable(ActorId),
  depth: z.number(),
  type: z.string(),
  description: z.string(),
  state: z.enum(["queued", "starting", "running", "waiting", "cancelling", "ended"]),
  activity: LiveActivity,
  doing: z.nullable(z.string()),
  model: z.string(),
  turns: z.number(),
  usage: Usage,
  costUsd: z.number(),
  background: z.boolean(),
  hasThread: z.boolean(),
  lastSignAt: z.number(),
  trouble: z.nullable(z.string()),
  overlap: z.nullable(z.string()),
  createdAt: z.number(),
  startedAt: z.nullable(z.number()),
  endedAt: z.nullable(z.number()),
  /** Null until it has ended. */
  status: z.nullable(Status),
  reason: z.nullable(z.string()),
});
export type LiveAgent = z.infer<typeof LiveAgent>;

/** What of an agent is not as it was told last; of a new one all. */
export const LivePatch = z.extend(z.partial(LiveAgent), { id: ActorId });
export type LivePatch = z.infer<typeof LivePatch>;

/**
 * What a session tells a viewer, one JSON line each. `now` is the session's monotonic clock in milliseconds, as
 * are all times of agents; `costUsd` is the whole session's, as far as prices are known.
 */
export const FromSession = z.discriminatedUnion("type", [
  LiveHello,
  /** Every agent in spawn order; it replaces what was told before. */
  z.object({ type: z.literal("tree"), now: z.number(), costUsd: z.number(), agents: z.array(LiveAgent) }),
  /** What has changed since; empty once a second where nothing has: the session is alive. New agents come last. */
  z.object({ type: z.literal("change"), now: z.number(), costUsd: z.number(), agents: z.array(LivePatch) }),
  /** The session was closed; nothing follows. */
  z.object({ type: z.literal("end") }),
]);
export type FromSession = z.infer<typeof FromSession>;
