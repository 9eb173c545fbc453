import * as z from "zod/mini";
import { Accept, Acceptance } from "./acceptance.ts";
import { Compacted, CompactRequest, ContextWindow } from "./compacted.ts";
import { Message, Picture, ReplyContent, ToolDefinition, ToolResultContent, Usage } from "./conversation.ts";
import { ActorId } from "./ids.ts";
import { Effort } from "./model.ts";
import { Isolation, Location, WorktreeResult } from "./worktree.ts";

/**
 * The wire format: every message between actors. Each schema survives a JSON round trip (no Map, no Date, no
 * functions), so a message can go to a thread, to disk or to another machine (promise 3).
 */

// ---- how an agent ends -------------------------------------------------------------------------

/** How a run ended. Only `done` means that the task was done. */
export const Status = z.enum([
  "done",
  "partial",
  "failed",
  "cancelled",
  "timed_out",
  "out_of_turns",
  "out_of_memory",
  "over_budget",
]);
export type Status = z.infer<typeof Status>;

/** What an agent did, counted by the runtime, not claimed by the model. */
export const Receipts = z.object({
  /** Tool name to number of calls that ran. */
  tools: z.record(z.string(), z.number()),
  /** Files whose content the agent saw; `digest` is of the lines shown. */
  files: z.array(z.object({ path: z.string(), digest: z.string() })),
  commands: z.array(z.object({ command: z.string(), exitCode: z.nullable(z.number()) })),
});
export type Receipts = z.infer<typeof Receipts>;

/** The schema of an answer as data; any draft. */
export const JsonSchema = z.record(z.string(), z.unknown());
export type JsonSchema = z.infer<typeof JsonSchema>;

/** A claim of a report without evidence in what its agent saw, wrote or ran; `why`: a clause. */
export const Unverified = z.object({
  kind: z.enum(["file", "lines", "quote", "run"]),
  said: z.string(),
  why: z.string(),
});
export type Unverified = z.infer<typeof Unverified>;

/**
 * The only result of a spawn (promise 1). `reason` is a sentence for every status but `done`; there it names what was
 * stopped with the agent.
 */
export const Summary = z.lazy(() =>
  z.object({
    status: Status,
    text: z.string(),
    /** The answer as data, if a schema was requested and the answer fits it. */
    output: z.optional(z.unknown()),
    reason: z.optional(z.string()),
    turns: z.number(),
    usage: Usage,
    receipts: Receipts,
    /** The result of its edits, if it had its own worktree. */
    worktree: z.optional(WorktreeResult),
    /** The verdict of the check that was stated for it. */
    acceptance: z.optional(Acceptance),
    /** Claims in `text` that the runtime could not verify; absent if all could be, or nothing was checked. */
    unverified: z.optional(z.array(Unverified)),
    /** It has a report, and ran no tool for it. */
    unfounded: z.optional(z.literal(true)),
  }),
);
export type Summary = z.infer<typeof Summary>;

/** The next reply must be the last one, before the agent's own limits are reached. */
export const LastTurn = z.lazy(() =>
  z.object({
    status: z.enum(["out_of_turns", "over_budget", "timed_out"]),
    /** A sentence, for the summary. */
    reason: z.string(),
    /** For the model. */
    note: z.string(),
    /** No further request at all: its last text is its answer. */
    silent: z.optional(z.boolean()),
    /** Tokens that are reserved for it. */
    maxTokens: z.optional(z.number()),
  }),
);
export type LastTurn = z.infer<typeof LastTurn>;

// ---- what an agent is --------------------------------------------------------------------------

/** One file as this agent last saw it: what Edit compares before it writes (issue "Hands"). */
export const ReadEntry = z.object({
  path: z.string(),
  size: z.number(),
  mtimeMs: z.number(),
  inode: z.number(),
  /** Of the lines shown, joined by line feeds, or of the whole file if it was shown in another form. */
  digest: z.string(),
  /** The lines that were shown. */
  lines: z.optional(z.object({ from: z.number(), count: z.number() })),
  /** Of all bytes; absent for a large file. */
  wholeDigest: z.optional(z.string()),
});
export type ReadEntry = z.infer<typeof ReadEntry>;

/** The supervisor runs Agent, MCP tools, and a library user's with `runsIn: "caller"`. */
export const ToolSide = z.enum(["agent", "supervisor"]);

/** The module of a library user's tool for the agent's thread, and the time limit of a call. */
export const ToolModule = z.object({ url: z.string(), timeoutMs: z.number() });
export type ToolModule = z.infer<typeof ToolModule>;

export const AgentTool = z.lazy(() =>
  z.extend(ToolDefinition, {
    side: ToolSide,
    /** Absent if the thread has the tool itself, or it runs in the supervisor. */
    module: z.optional(ToolModule),
    /** Names the model may also use, such as Task for Agent (A3.28). */
    aliases: z.array(z.string()),
    /** Calls of parallel tools in one reply run together; the others run alone (A1.12). */
    parallel: z.boolean(),
    /** In no request, only named to the model: found by ToolSearch and called through UseTool. */
    deferred: z.optional(z.literal(true)),
  }),
);
export type AgentTool = z.infer<typeof AgentTool>;

/**
 * Text that enters the agent's conversation at its next turn. `of`: IDs of the durable things it reports (results of
 * agents, messages), which the receiving turn acknowledges. `notice`: the runtime's own text, not a new question.
 * `reads`: files that it shows, for the ledger. `system`: it belongs to the system
 * prompt from then on, not to the conversation. `tools`: deferred ones that it can find and call from then on.
 */
export const Steer = z.lazy(() =>
  z.object({
    text: z.string(),
    of: z.optional(z.array(z.string())),
    notice: z.optional(z.literal(true)),
    reads: z.optional(z.array(ReadEntry)),
    pictures: z.optional(z.array(Picture)),
    system: z.optional(z.literal(true)),
    tools: z.optional(z.array(AgentTool)),
  }),
);
export type Steer = z.infer<typeof Steer>;

/** One step of an agent's own list (A3.29). `activeForm` is shown while it is in progress. */
export const Todo = z.object({
  content: z.string(),
  status: z.enum(["pending", "in_progress", "completed"]),
  activeForm: z.string(),
});
export type Todo = z.infer<typeof Todo>;

/**
 * One turn, recorded with its results: an actor's state is the fold of its turns (promise 8, `turns.ts`). All values
 * are of this turn alone.
 */
export const Turn = z.lazy(() =>
  z.object({
    /** From 1. */
    turn: z.number(),
    /** Steering that was added to the conversation before this turn's request. */
    heard: z.array(Steer),
    /** The messages that this turn appended to the conversation, in order. */
    messages: z.array(Message),
    cwd: z.string(),
    reads: z.array(ReadEntry),
    /** The agent's list, if this turn replaced it. */
    todo: z.optional(z.array(Todo)),
    /** Its new location, if this turn moved it. */
    place: z.optional(Location),
    usage: Usage,
    /** Of its last request, if its reply took several: the size of the conversation. */
    lastUsage: z.optional(Usage),
    receipts: Receipts,
    /** How its reply ended the run, if not as `done`: a restart must not guess it from the text. */
    ending: z.optional(z.object({ status: Status, reason: z.optional(z.string()) })),
  }),
);
export type Turn = z.infer<typeof Turn>;

// ---- a turn that is not over ---------------------------------------------------------------------

/**
 * The result of a tool call as the model will see it. `refused`: nothing ran, as it was denied or invalid. `moved`:
 * the agent's new location. `overdue`: it exceeded its deadline.
 */
export const CallResult = z.lazy(() =>
  z.object({
    content: ToolResultContent,
    isError: z.boolean(),
    refused: z.optional(z.literal(true)),
    overdue: z.optional(z.literal(true)),
    moved: z.optional(Location),
  }),
);
export type CallResult = z.infer<typeof CallResult>;

/** A reply with calls, sent before the first of them runs: after a crash each of them still has one result. */
export const Reply = z.lazy(() =>
  z.object({
    turn: z.number(),
    /** Steering that was added to the conversation before this reply was requested. */
    heard: z.array(Steer),
    content: ReplyContent,
    usage: Usage,
  }),
);
export type Reply = z.infer<typeof Reply>;

/** The results so far of an unfinished turn: all that another thread needs to continue it. */
export const OpenTurn = z.lazy(() =>
  z.object({
    turn: z.number(),
    /** By the index of the call in the reply. */
    results: z.array(z.object({ index: z.number(), result: CallResult })),
    cwd: z.string(),
    reads: z.array(ReadEntry),
    commands: Receipts.shape.commands,
    todo: z.optional(z.array(Todo)),
  }),
);
export type OpenTurn = z.infer<typeof OpenTurn>;

/** A reply with unanswered calls, and what is known of them. */
export const Pending = z.lazy(() => z.object({ reply: Reply, open: OpenTurn }));
export type Pending = z.infer<typeof Pending>;

/** What a fork has from its parent apart from the conversation. */
export const Inherited = z.lazy(() =>
  z.object({
    reads: z.array(ReadEntry),
    cwd: z.string(),
    root: z.optional(z.string()),
    /** What the server has counted in the parent: the tokens of this number of messages, from the start. */
    counted: z.optional(z.object({ messages: z.number(), tokens: z.number() })),
  }),
);
export type Inherited = z.infer<typeof Inherited>;

/** Local calls of one reply that run at the same time by default. */
export const PARALLEL_CALLS = 8;

/** Which model an actor asks, and what follows from it. `window`: absent for the usual one. */
export const ActorModel = z.object({
  model: z.string(),
  maxTokens: z.number(),
  window: z.optional(ContextWindow),
});
export type ActorModel = z.infer<typeof ActorModel>;

/** Milliseconds that a command in the foreground may take: by default, and at most. */
export const CommandLimits = z.object({ usual: z.number(), most: z.number() });
export type CommandLimits = z.infer<typeof CommandLimits>;

/** All that a thread needs to be an agent. */
export const ActorSpec = z.lazy(() =>
  z.object({
    id: ActorId,
    parent: z.nullable(ActorId),
    /** 0 is the main conversation. */
    depth: z.number(),
    /** The number of this actor's threads; responses to an older one are refused. */
    attempt: z.number(),
    type: z.string(),
    description: z.string(),
    /** Stable system prompt blocks, byte-identical between agents of a type. */
    system: z.array(z.string()),
    /** Names of the skills whose text is in the system prompt from the start. */
    skills: z.optional(z.array(z.string())),
    /** Digests, by name, of the changeable facts it starts with (`context/facts.ts`). */
    knows: z.optional(z.record(z.string(), z.string())),
    tools: z.array(AgentTool),
    model: z.string(),
    maxTokens: z.number(),
    thinkingTokens: z.optional(z.number()),
    effort: z.optional(Effort),
    /** Local calls of one reply that run at the same time; absent in old journals: `PARALLEL_CALLS`. */
    parallelCalls: z.optional(z.number()),
    /** Absent for the defaults. */
    commandLimits: z.optional(CommandLimits),
    /** The turn number after which the next reply is the last. */
    maxTurns: z.number(),
    /** Total tokens (input, output, cache) after which the agent writes its summary. */
    tokenBudget: z.optional(z.number()),
    /** The mode for its calls if it is narrower than the session's. */
    permissionMode: z.optional(z.enum(["plan", "dontAsk", "default", "acceptEdits", "bypassPermissions"])),
    /** The schema of its answer as data. */
    outputSchema: z.optional(JsonSchema),
    /** What must be true of its work. */
    accept: z.optional(Accept),
    /** Digests of the files that `accept` states, by name, from before it started; empty if there was none. */
    filesBefore: z.optional(z.record(z.string(), z.string())),
    /** The only directory tree, with `additionalDirs`, in which this agent may resolve paths. */
    root: z.string(),
    additionalDirs: z.array(z.string()),
    /** Its own worktree, which contains `root`. */
    isolation: z.optional(Isolation),
    /** How settings guard files (A22.8, A22.10); absent for the defaults. */
    fileRules: z.optional(
      z.object({ edit: z.enum(["strict", "relaxed"]), write: z.enum(["any", "read-first"]) }),
    ),
    /** The conversation before the first of `turns`: the prompt, or an inherited history. */
    messages: z.array(Message),
    /** Turns before, when an actor is resumed from its records. */
    turns: z.array(Turn),
    /** Steering since the last of `turns`, for its first request. With `pending`: what that reply had received. */
    heard: z.array(Steer),
    /** The unfinished turn of its last thread. */
    pending: z.optional(Pending),
    /** A fork's: what its parent has seen. */
    inherited: z.optional(Inherited),
    /** Names what it was asked for, so that a session that is resumed finds it instead of starting another. */
    key: z.optional(z.string()),
    /** It runs on a runner of this pool; absent: here. */
    pool: z.optional(z.string()),
    /** It keeps the thread of its calls until it ends. */
    thread: z.optional(z.literal("own")),
    /** Set if its first request must be its last. */
    last: z.optional(LastTurn),
    /** Its model's; absent for the usual one. */
    window: z.optional(ContextWindow),
    /** How the model sees its conversation, if compacted. */
    compacted: z.optional(Compacted),
    /** The user's request to compact it first. */
    compact: z.optional(CompactRequest),
  }),
);
export type ActorSpec = z.infer<typeof ActorSpec>;

// ---- what an agent reports of itself, for users ----------------------------------------------------

export const FromAgent = z.discriminatedUnion("type", [
  /** The agent's progress. */
  z.object({ type: z.literal("progress"), turn: z.number(), usage: Usage, text: z.string() }),
  /** A part of the visible reply, only if someone watches it; `turn`: turns completed before it. */
  z.object({ type: z.literal("text"), text: z.string(), turn: z.number() }),
  /** `forUser`: what it does between calls. */
  z.object({
    ...{ type: z.literal("thinking"), text: z.string(), turn: z.number() },
    forUser: z.exactOptional(z.literal(true)),
  }),
  /** The model has started to write a call of this tool: a hint to warm up what it needs. */
  z.object({ type: z.literal("call-begins"), tool: z.string() }),
  /** Of an agent on a runner: which one has it, or why none has (a clause). */
  z.object({ type: z.literal("place"), runner: z.nullable(z.string()), waits: z.nullable(z.string()) }),
]);
export type FromAgent = z.infer<typeof FromAgent>;

/** The agent type of an actor that starts with the conversation of its parent. */
export const FORK = "fork";
