import { hash } from "node:crypto";
import * as z from "zod/mini";
import { AfterAnswer, AfterCall, BeforeCall, Call, CallDecision, SearchMatches } from "./calls.ts";
import { CompactAnswer, CompactBegin, type CompactEnd, Compacted } from "./compacted.ts";
import { Usage } from "./conversation.ts";
import { ActorId, SessionId } from "./ids.ts";
import { ActorSpec, AgentTool, CallResult, FromAgent, Reply, Turn } from "./messages.ts";
import { Packet } from "./rpc/reliable-channel.ts";
import { type Notices, type Requests, unchecked } from "./rpc/table.ts";
import { Finish, FinishAnswer, TurnAnswer } from "./services.ts";

/** Milliseconds between two signs of life of a runner. */
export const HEARTBEAT_MS = 5_000;

/** One attempt of an actor: its fence. Responses to an older one are refused. */
export const AttemptId = z.object({ session: SessionId, actor: ActorId, attempt: z.number() });
export type AttemptId = z.infer<typeof AttemptId>;

export function nameAttempt({ session, actor, attempt }: AttemptId): string {
  return `${session}-${actor}-${attempt}`;
}

/** Returns the job's ID in the engine. An attempt that a runner took and did not begin is offered again as another job. */
export function nameJob(attempt: string, times: number): string {
  return times === 1 ? attempt : `${attempt}_${times}`;
}

/** True if a job of that ID carries the attempt. */
export function isJobOf(attempt: string, job: string): boolean {
  return job.startsWith(attempt) && /^(?:_\d+)?$/.test(job.slice(attempt.length));
}

/** A bundle beyond this does not go through the engine. */
export const MAX_BUNDLE_BYTES = 64 * 1024 * 1024;

/** Files that cannot travel: trying again does not help. */
export class TooLargeError extends Error {
  constructor(bytes: number) {
    super(
      `${bytes} bytes are too many for the engine: files of an agent have up to ${MAX_BUNDLE_BYTES}. Set troupe.runners.remote here and on the runner, to a git repository that both reach, or clone the repository shallow.`,
    );
  }
}

/** Returns where an agent's refs are in the remote of its fleet; each attempt has its number below that. */
export function remoteRefs({ session, actor }: Pick<AttemptId, "session" | "actor">): string {
  return `refs/troupe/runners/${session}/${actor}`;
}

/** An agent's files: a commit, and a bundle of what of it the runner lacks (a blob of the engine; null if nothing). */
export const SentFiles = z.object({
  /** Names the repository on every machine. */
  repository: z.string(),
  commit: z.string(),
  bundle: z.nullable(z.string()),
  /** Of a session that has a remote: true if the commit is there instead of in a bundle. */
  isPushed: z.optional(z.boolean()),
});
export type SentFiles = z.infer<typeof SentFiles>;

/** What a session has set for its sandbox: the settings `troupe.sandbox`. */
const SandboxRules = z.object({
  mode: z.enum(["off", "on", "required"]),
  autoAllow: z.boolean(),
  allowedDomains: z.readonly(z.array(z.string())),
  deniedDomains: z.readonly(z.array(z.string())),
  managedDomainsOnly: z.boolean(),
  denyWrite: z.readonly(z.array(z.string())),
  denyRead: z.readonly(z.array(z.string())),
  readOnly: z.boolean(),
});

const Scope = z.enum(["enterprise", "user", "project", "local", "cli", "session", "library"]);

/** What a settings file runs when a call has ended, as it is there. */
const RunnerHooks = z.object({
  scope: Scope,
  file: z.string(),
  agentType: z.exactOptional(z.string()),
  skill: z.exactOptional(z.string()),
  plugin: z.exactOptional(z.record(z.string(), z.string())),
  value: z.unknown(),
});
export type RunnerHooks = z.infer<typeof RunnerHooks>;

/** Permission rules as data, which the runner evaluates as well: the stricter decision holds. */
export const RunnerRules = z.object({
  mode: z.enum(["plan", "dontAsk", "default", "acceptEdits", "bypassPermissions"]),
  /** A rule's scope says where its paths begin. */
  rules: z.array(
    z.object({
      text: z.string(),
      behaviour: z.enum(["allow", "ask", "deny"]),
      scope: Scope,
    }),
  ),
  sandbox: z.optional(SandboxRules),
  /** Every command is a question. */
  askEveryCommand: z.exactOptional(z.literal(true)),
  /** Commands that run on the runner after calls that were made there. */
  hooks: z.exactOptional(z.array(RunnerHooks)),
});
export type RunnerRules = z.infer<typeof RunnerRules>;

const Lent = {
  apiKey: z.exactOptional(z.string()),
  baseURL: z.exactOptional(z.string()),
};

/** How a session asks its models, lent to a runner for one attempt: with its key. */
export const LentModel = z.object({
  source: z.discriminatedUnion("provider", [
    z.object({
      provider: z.literal("anthropic"),
      ...Lent,
      authToken: z.exactOptional(z.string()),
      headers: z.exactOptional(z.record(z.string(), z.string())),
      promptCaching: z.exactOptional(z.boolean()),
    }),
    z.object({ provider: z.literal("openai"), ...Lent }),
    z.object({ provider: z.literal("offline") }),
  ]),
  aliases: z.record(z.string(), z.string()),
  availableModels: z.array(z.array(z.string())),
});
export type LentModel = z.infer<typeof LentModel>;

/** What a job carries: all that a runner needs to be the agent. */
export const OfferedSpec = z.object({
  ...AttemptId.shape,
  /** The version of the session's Troupe. */
  version: z.string(),
  /** Without its kit. */
  spec: ActorSpec,
  /** The digest of its kit, which a runner that does not know it requests. */
  kit: z.string(),
  /** Where its files must be on the runner, which requests them with `files`, or null if they are there already. */
  files: z.nullable(z.string()),
  rules: RunnerRules,
  /** A command that runs once in a new worktree. */
  setup: z.optional(z.string()),
  /** By which the runner asks models for this attempt; absent: by what it has itself. */
  lent: z.optional(LentModel),
});
export type OfferedSpec = z.infer<typeof OfferedSpec>;

/** An agent's files after a turn: its newest snapshot, and what of it the session lacks (a blob of the engine, or null if it is in the remote). */
export const SentEdits = z.object({ commit: z.string(), bundle: z.nullable(z.string()) });
export type SentEdits = z.infer<typeof SentEdits>;

/** An attempt runs nothing before the response. */
const Boarding = z.object({
  runner: z.string(),
  version: z.string(),
  /** Tools of the spec that this runner lacks. */
  lacks: z.array(z.string()),
});

/** An attempt that is superseded gets the message `over`. */
export const Boarded = z.enum(["go", "cancelled", "unfit"]);
export type Boarded = z.infer<typeof Boarded>;

/** A request to a model was answered, or broke off: its cost is the session's. */
export const Paid = z.object({
  /** Unique for the attempt. */
  id: z.string(),
  model: z.string(),
  asked: z.string(),
  usage: Usage,
  apiMs: z.number(),
  broken: z.exactOptional(z.literal(true)),
  odd: z.exactOptional(z.literal(true)),
});
export type Paid = z.infer<typeof Paid>;

/** What an agent on a runner requests of its session. Each request has a key, under which it is answered once. */
export const attemptRequests = {
  /** The kit of its spec, packed, before it boards. */
  kit: { request: z.null(), response: z.string() },
  board: { request: Boarding, response: Boarded },
  /** Its files as they are now. `have`: commits that the runner has; `hasRemote`: it can fetch from a remote. */
  files: {
    request: z.object({ have: z.array(z.string()), hasRemote: z.optional(z.boolean()) }),
    response: SentFiles,
  },
  before: { request: BeforeCall, response: CallDecision },
  /** With its edits, so that what is recorded as done is done here as well. */
  after: { request: z.object({ after: AfterCall, edits: z.optional(SentEdits) }), response: AfterAnswer },
  callTool: { request: Call, response: CallResult },
  reply: { request: Reply, response: z.null() },
  turn: { request: z.object({ turn: Turn, edits: z.optional(SentEdits) }), response: TurnAnswer },
  finish: { request: z.object({ finish: Finish, edits: z.optional(SentEdits) }), response: FinishAnswer },
  compacting: { request: CompactBegin, response: CompactAnswer },
  compacted: { request: unchecked<CompactEnd>(), response: z.nullable(Compacted) },
  hidden: { request: SearchMatches, response: z.array(z.string()) },
} satisfies Requests;

/** How an attempt ended on its runner. `parked`: another runner continues with what is recorded. */
export const RunnerExit = z.discriminatedUnion("type", [
  z.object({ type: z.literal("returned") }),
  z.object({ type: z.literal("threw"), message: z.string() }),
  z.object({ type: z.literal("died"), message: z.string() }),
  z.object({ type: z.literal("out-of-memory") }),
  z.object({ type: z.literal("terminated") }),
  z.object({ type: z.literal("parked"), reason: z.string() }),
]);
export type RunnerExit = z.infer<typeof RunnerExit>;

/** From the agent to its session, without a response. */
export const attemptNotices = {
  report: FromAgent,
  /** Before the turn, or the end, that it was paid for. */
  paid: Paid,
  exit: RunnerExit,
  /** A sentence for the user. */
  remark: z.string(),
  /** Whether the session still receives anything: it may have died before it answered. */
  sign: z.null(),
} satisfies Notices;

/** From the session to the agent. */
export const agentNotices = {
  cancel: z.string(),
  watch: z.boolean(),
  /** It must be continued by another attempt, for this reason (a clause). */
  park: z.string(),
  /** The user has changed them: they hold from the next call on. */
  rules: RunnerRules,
} satisfies Notices;

/** What runners say of themselves. */
export const RunnerInfo = z.object({
  id: z.string(),
  name: z.string(),
  pools: z.array(z.string()),
  slots: z.number(),
  used: z.number(),
  version: z.string(),
  sandbox: z.string(),
  /** It takes nothing new. */
  draining: z.boolean(),
  /** Why it takes nothing for a while, as a clause. */
  rests: z.exactOptional(z.string()),
  /** Of its machine, for one minute. */
  load: z.number(),
});
export type RunnerInfo = z.infer<typeof RunnerInfo>;

/** To a session, on its topic. */
export const ToSession = z.discriminatedUnion("type", [
  z.object({ type: z.literal("packet"), ...AttemptId.shape, runner: z.string(), packet: Packet }),
  /** A runner with attempts of this session is alive. */
  z.object({ type: z.literal("beat"), runner: RunnerInfo, attempts: z.array(AttemptId) }),
  /** The response to `who`. */
  z.object({ type: z.literal("here"), runner: RunnerInfo }),
]);
export type ToSession = z.infer<typeof ToSession>;

/** To one runner, on its topic. */
export const ToRunner = z.discriminatedUnion("type", [
  z.object({ type: z.literal("packet"), ...AttemptId.shape, packet: Packet }),
  /** The attempt has ended, or another runner has it: everything of it is ended immediately. */
  z.object({ type: z.literal("over"), ...AttemptId.shape }),
]);
export type ToRunner = z.infer<typeof ToRunner>;

/** To all runners: each responds with `here` on the topic. */
export const ToRunners = z.object({ type: z.literal("who"), topic: z.string() });
export type ToRunners = z.infer<typeof ToRunners>;

export const topics = {
  session: (id: string) => `session.${id}`,
  runner: (id: string) => `runner.${id}`,
  runners: "runners",
};

/** What agents of a type have in common, and most of a spec: it travels to each runner once. */
const SpecKit = z.object({ system: z.array(z.string()), tools: z.array(AgentTool) });
export type SpecKit = z.infer<typeof SpecKit>;

/** Returns the kit of a spec as a text. The later blocks of its prompt name its own directory. */
export function packKit({ system, tools }: Pick<ActorSpec, "system" | "tools">): string {
  return JSON.stringify({ system: system.slice(0, 1), tools } satisfies SpecKit);
}

export function digestKit(packed: string): string {
  return hash("sha256", packed);
}

/** Throws if it is not the kit of that digest. */
export function unpackKit(packed: string, digest: string): SpecKit {
  if (digestKit(packed) !== digest)
    throw new Error("The session sent other tools of the agent than it had offered.");
  return SpecKit.parse(JSON.parse(packed));
}

export function withoutKit(spec: ActorSpec): ActorSpec {
  return { ...spec, system: spec.system.slice(1), tools: [] };
}

export function withKit(spec: ActorSpec, { system, tools }: SpecKit): ActorSpec {
  return { ...spec, system: [...system, ...spec.system], tools };
}
