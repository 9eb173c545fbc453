import * as z from "zod/mini";
import { Compacted, CompactRequest, ContextWindow } from "./compacted.ts";
import { Message, Picture, ReplyContent, ToolDefinition, ToolResultContent, Usage } from "./conversation.ts";
import { Effort } from "./effort.ts";
import { ActorId, CallId } from "./ids.ts";
import { Isolation, Location, WorktreeResult } from "./worktree.ts";

/**
 * The wire format: every word that actors exchange. Each schema survives a JSON round trip (no Map, no
 * Date, no functions), so a message can go to a thread, to disk or to another machine (promise 3).
 */

// ---- how an agent ends -------------------------------------------------------------------------

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

/** What an agent provably did, counted by the runtime, not claimed by the model. */
export const Receipts = z.object({
  /** Tool name to number of calls that ran. */
  tools: z.record(z.string(), z.number()),
  /** Files whose content the agent saw; `digest` is of the lines it was shown. */
  files: z.array(z.object({ path: z.string(), digest: z.string() })),
  commands: z.array(z.object({ command: z.string(), exitCode: z.nullable(z.number()) })),
});
export type Receipts = z.infer<typeof Receipts>;

/** What data must look like; any draft. */
export const JsonSchema = z.record(z.string(), z.unknown());
export type JsonSchema = z.infer<typeof JsonSchema>;

/** Something a report says that nothing backs which its agent was shown, has written or has run; `why`: a clause. */
export const Unverified = z.object({
  kind: z.enum(["file", "lines", "quote", "run"]),
  said: z.string(),
  why: z.string(),
});
export type Unverified = z.infer<typeof Unverified>;

/** The one thing a spawn returns (promise 1). `reason` is a sentence for every status but `done`; there it says what was stopped with the agent, if anything was. */
export const Summary = z.object({
  status: Status,
  text: z.string(),
  /** The answer as data, where a schema was asked for and the answer fits it. */
  output: z.optional(z.unknown()),
  reason: z.optional(z.string()),
  turns: z.number(),
  usage: Usage,
  receipts: Receipts,
  /** What became of its edits, where it worked in a tree of its own. */
  worktree: z.optional(WorktreeResult),
  /** What of `text` the runtime could not verify; absent: all of it could be, or it was not checked. */
  unverified: z.optional(z.array(Unverified)),
  /** It has a report, and no tool was run for it. */
  unfounded: z.optional(z.literal(true)),
});
export type Summary = z.infer<typeof Summary>;

/** The next reply must be the last one, though the agent's own limits are not reached. */
export const LastTurn = z.object({
  status: z.enum(["out_of_turns", "over_budget", "timed_out"]),
  /** A sentence, for the summary. */
  reason: z.string(),
  /** What the model is told. */
  note: z.string(),
  /** Not even that: nothing is asked any more, and what it said last is its answer. */
  silent: z.optional(z.boolean()),
  /** Tokens that are kept back for it. */
  maxTokens: z.optional(z.number()),
});
export type LastTurn = z.infer<typeof LastTurn>;

// ---- what an agent is --------------------------------------------------------------------------

/** One file as this agent last saw it: what Edit compares before it writes (issue "Hands"). */
export const ReadEntry = z.object({
  path: z.string(),
  size: z.number(),
  mtimeMs: z.number(),
  inode: z.number(),
  /** Of what was shown: lines, as joined by line feeds; or the whole file, where it was shown in another form. */
  digest: z.string(),
  /** The lines that were shown. */
  lines: z.optional(z.object({ from: z.number(), count: z.number() })),
  /** Of all bytes; left out for a large file. */
  wholeDigest: z.optional(z.string()),
});
export type ReadEntry = z.infer<typeof ReadEntry>;

/** Who runs a tool: the agent's own thread, or the supervisor (Agent, MCP, a library user's with `runsIn: "caller"`). */
export const ToolSide = z.enum(["agent", "supervisor"]);

/** Where a library user's tool is that runs in the agent's thread, and how long a call of it may take. */
export const ToolModule = z.object({ url: z.string(), timeoutMs: z.number() });
export type ToolModule = z.infer<typeof ToolModule>;

export const AgentTool = z.extend(ToolDefinition, {
  side: ToolSide,
  /** Absent: the thread has the tool itself, or it runs on the supervisor's side. */
  module: z.optional(ToolModule),
  /** Names the model may also use, such as Task for Agent (A3.28). */
  aliases: z.array(z.string()),
  /** Calls of parallel tools in one reply run together; the others run alone (A1.12). */
  parallel: z.boolean(),
  /** Only named to the model, and in no request: it is found by ToolSearch and called through UseTool. */
  deferred: z.optional(z.literal(true)),
});
export type AgentTool = z.infer<typeof AgentTool>;

/**
 * Text that enters the agent's conversation at its next turn. `of`: the durable things it tells of (results of
 * agents, words that were sent), by their ids: the turn that heard it acknowledges them. `news`: the runtime's own
 * words, and no new question. `reads`: files that it shows, for the ledger; `pictures`: those that go with
 * the text. `system`: it stands in the system prompt from then on, and not in the conversation. `tools`: deferred ones
 * that it can find and call from then on.
 */
export const Steer = z.object({
  text: z.string(),
  of: z.optional(z.array(z.string())),
  notice: z.optional(z.literal(true)),
  reads: z.optional(z.array(ReadEntry)),
  pictures: z.optional(z.array(Picture)),
  system: z.optional(z.literal(true)),
  tools: z.optional(z.array(AgentTool)),
});
export type Steer = z.infer<typeof Steer>;

/** One step of an agent's own list (A3.29). `activeForm` is what is shown while it is worked on. */
export const Todo = z.object({
  content: z.string(),
  status: z.enum(["pending", "in_progress", "completed"]),
  activeForm: z.string(),
});
export type Todo = z.infer<typeof Todo>;

/**
 * One turn, recorded after its results are in: an actor's state is the fold of its turns (promise 8,
 * `turns.ts`). All values are of this turn alone.
 */
export const Turn = z.object({
  /** From 1. */
  turn: z.number(),
  /** Steering that was added to the conversation before this turn's request. */
  heard: z.array(Steer),
  /** What this turn appended to the conversation, in order. */
  messages: z.array(Message),
  cwd: z.string(),
  reads: z.array(ReadEntry),
  /** The agent's list, where this turn replaced it. */
  todo: z.optional(z.array(Todo)),
  /** Where it works from now on, where this turn moved it. */
  place: z.optional(Location),
  usage: Usage,
  /** Of its last request, where its reply took several: how large the conversation is. */
  lastUsage: z.optional(Usage),
  receipts: Receipts,
});
export type Turn = z.infer<typeof Turn>;

// ---- a turn that is not over ---------------------------------------------------------------------

/**
 * What a tool call came to, as the model will see it. `refused`: nothing ran, because it was not allowed or could not be
 * meant. `moved`: the agent works there from now on. `overdue`: it was given up at its deadline.
 */
export const CallResult = z.object({
  content: ToolResultContent,
  isError: z.boolean(),
  refused: z.optional(z.literal(true)),
  overdue: z.optional(z.literal(true)),
  moved: z.optional(Location),
});
export type CallResult = z.infer<typeof CallResult>;

/** A reply with calls, told before the first of them runs: after a crash each of them still has one result. */
export const Reply = z.object({
  turn: z.number(),
  /** Steering that was added to the conversation before this reply was asked for. */
  heard: z.array(Steer),
  content: ReplyContent,
  usage: Usage,
});
export type Reply = z.infer<typeof Reply>;

/** What the calls of an unfinished turn have come to so far: all that another thread needs to go on with it. */
export const OpenTurn = z.object({
  turn: z.number(),
  /** By the place of the call in the reply. */
  results: z.array(z.object({ index: z.number(), result: CallResult })),
  cwd: z.string(),
  reads: z.array(ReadEntry),
  commands: Receipts.shape.commands,
  todo: z.optional(z.array(Todo)),
});
export type OpenTurn = z.infer<typeof OpenTurn>;

/** A reply whose calls are not all answered, and what is known of them. */
export const Pending = z.object({ reply: Reply, open: OpenTurn });
export type Pending = z.infer<typeof Pending>;

/** What a fork has from its parent besides the conversation. */
export const Inherited = z.object({
  reads: z.array(ReadEntry),
  cwd: z.string(),
  root: z.optional(z.string()),
});
export type Inherited = z.infer<typeof Inherited>;

/** Local calls of one reply that run at the same time unless settings say otherwise. */
export const PARALLEL_CALLS = 8;

/** All that a thread needs to be an agent. */
export const ActorSpec = z.object({
  id: ActorId,
  parent: z.nullable(ActorId),
  /** 0 is the main conversation. */
  depth: z.number(),
  /** Counts the threads this actor has had; answers to an older one are refused. */
  attempt: z.number(),
  type: z.string(),
  description: z.string(),
  /** Stable system prompt blocks, byte-identical between agents of a type. */
  system: z.array(z.string()),
  /** The skills whose text stands there from the beginning, by name. */
  skills: z.optional(z.array(z.string())),
  /** What it is told that can change meanwhile, by name: the digest of each (`context/facts.ts`). */
  knows: z.optional(z.record(z.string(), z.string())),
  tools: z.array(AgentTool),
  model: z.string(),
  maxTokens: z.number(),
  thinkingTokens: z.optional(z.number()),
  effort: z.optional(Effort),
  /** Local calls of one reply that run at the same time; absent in journals of before: `PARALLEL_CALLS`. */
  parallelCalls: z.optional(z.number()),
  /** The turn number after which the next reply is the last. */
  maxTurns: z.number(),
  /** Total tokens (input, output, cache) after which the agent writes its summary. */
  tokenBudget: z.optional(z.number()),
  /** Its calls are judged in this mode where it is narrower than the session's. */
  permissionMode: z.optional(z.enum(["plan", "dontAsk", "default", "acceptEdits", "bypassPermissions"])),
  /** What its answer must be, as data. */
  outputSchema: z.optional(JsonSchema),
  /** The only folder tree this agent may resolve paths in, besides `additionalDirs`. */
  root: z.string(),
  additionalDirs: z.array(z.string()),
  /** It works in a tree of its own, which `root` is in. */
  isolation: z.optional(Isolation),
  /** How the person wants files guarded (A22.8, A22.10); absent: as ever. */
  fileRules: z.optional(
    z.object({ edit: z.enum(["strict", "relaxed"]), write: z.enum(["any", "read-first"]) }),
  ),
  /** The conversation before the first of `turns`: the prompt, or an inherited history. */
  messages: z.array(Message),
  /** Turns already taken, when an actor goes on from its records. */
  turns: z.array(Turn),
  /** Said to it since the last of `turns`; heard before its first request. With `pending`: what that reply had heard. */
  heard: z.array(Steer),
  /** The turn it was in when its last thread ended. */
  pending: z.optional(Pending),
  /** A fork's: what it has seen already. */
  inherited: z.optional(Inherited),
  /** Its first request must be its last one already. */
  last: z.optional(LastTurn),
  /** Its model's; absent: what most models have. */
  window: z.optional(ContextWindow),
  /** How its conversation is shown to the model, where that is not as it was. */
  compacted: z.optional(Compacted),
  /** The person wants its conversation smaller before anything else. */
  compact: z.optional(CompactRequest),
});
export type ActorSpec = z.infer<typeof ActorSpec>;

// ---- mail: may be dropped or coalesced; what must not be lost is a service call -------------------

export const ToAgent = z.discriminatedUnion("type", [
  /** Stop as soon as possible; the summary is then `cancelled` or `timed_out`. */
  z.object({ type: z.literal("cancel"), reason: z.string() }),
  /** Others need threads: give yours back if you only wait. What you know is asked for by `yield`. */
  z.object({ type: z.literal("yield") }),
]);
export type ToAgent = z.infer<typeof ToAgent>;

export const FromAgent = z.discriminatedUnion("type", [
  /** Where the agent is: coalesced to at most 20 a second. */
  z.object({ type: z.literal("progress"), turn: z.number(), usage: Usage, text: z.string() }),
  /** A piece of the visible reply, only where somebody watches it; `turn`: how many turns were taken before it. */
  z.object({ type: z.literal("text"), text: z.string(), turn: z.number() }),
  /** The model has begun a call of this tool: a hint to warm up what it needs. */
  z.object({ type: z.literal("call-begins"), tool: z.string() }),
]);
export type FromAgent = z.infer<typeof FromAgent>;

// ---- services: asked by an agent, answered by the supervisor ----------------------------------------

/**
 * `toolUse` is the provider's own id of the block, for people who match it with transcripts. `absent`: the agent has no
 * such tool and wants to know why, whatever has come since.
 */
export const Call = z.object({
  ...{ id: CallId, toolUse: z.string(), tool: z.string(), input: z.unknown() },
  absent: z.optional(z.literal(true)),
});
export type Call = z.infer<typeof Call>;

/**
 * Something a call would touch, for the gate, the journal and the live tree: a path, absolute; where something
 * is executed, the folder it runs in; a URL.
 */
export const Access = z.object({ kind: z.enum(["read", "write", "execute", "network"]), target: z.string() });
export type Access = z.infer<typeof Access>;

/**
 * `before`: a call the agent is about to run in its own thread, and where it stands. What the call touches is
 * found out by the supervisor, from the input.
 */
export const BeforeCall = z.extend(Call, { cwd: z.string() });
export type BeforeCall = z.infer<typeof BeforeCall>;

/** Who wrote a file last, where it was another agent of the session. `path` is the real one. */
export const LastWriter = z.object({ path: z.string(), actor: ActorId, description: z.string() });
export type LastWriter = z.infer<typeof LastWriter>;

/**
 * A file that changed while hooks of a call ran that writes it: what it was, what it is, and the bounded diff of both,
 * which is empty if its bytes are the same.
 */
export const HookChange = z.object({
  event: z.enum(["PreToolUse", "PostToolUse", "PostToolUseFailure"]),
  before: z.pick(ReadEntry, { size: true, mtimeMs: true, inode: true }),
  now: ReadEntry,
  diff: z.string(),
});
export type HookChange = z.infer<typeof HookChange>;

export const CallDecision = z.discriminatedUnion("type", [
  /** Run it, with `input` in place of the model's own where a hook rewrote it. */
  z.object({
    type: z.literal("go"),
    input: z.optional(z.unknown()),
    /** Somebody has something to say to the result: `after` is to bring it, and its answer is waited for. */
    watched: z.optional(z.literal(true)),
    /** The call has side effects: `after` is to bring its result, so that a crash before the turn's end does not lose it. */
    kept: z.optional(z.literal(true)),
    /** Rules deny single files: what a search found is to be asked about (`hidden`) before it is told. */
    filtered: z.optional(z.literal(true)),
    /** Other agents that were the last to write what this call is about to write. */
    lastWriters: z.optional(z.array(LastWriter)),
    changed: z.optional(z.array(HookChange)),
  }),
  z.object({ type: z.literal("refuse"), reason: z.string() }),
]);
export type CallDecision = z.infer<typeof CallDecision>;

/** What a running search found, by absolute paths. */
export const SearchMatches = z.object({ call: CallId, paths: z.array(z.string()) });
export type SearchMatches = z.infer<typeof SearchMatches>;

/** `result` where the verdict asked for it; `response`: the same as hooks read it, if the tool has more to say to them. */
export const AfterCall = z.object({
  id: CallId,
  isError: z.boolean(),
  bytes: z.number(),
  result: z.optional(CallResult),
  overdue: z.optional(z.literal(true)),
  response: z.optional(z.unknown()),
});
export type AfterCall = z.infer<typeof AfterCall>;

/** `append`: text that a hook adds to the result. */
export const AfterAnswer = z.object({
  append: z.optional(z.string()),
  changed: z.optional(z.array(HookChange)),
});
export type AfterAnswer = z.infer<typeof AfterAnswer>;
