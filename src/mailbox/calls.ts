import * as z from "zod/mini";
import { ActorId, CallId } from "./ids.ts";
import { CallResult, ReadEntry } from "./messages.ts";

/** What an agent asks about its calls, and what the supervisor answers. */

/**
 * `toolUse` is the provider's own ID of the block, to match it with transcripts. `absent`: the agent has no such tool
 * and asks why, even if it has come since.
 */
export const Call = z.object({
  ...{ id: CallId, toolUse: z.string(), tool: z.string(), input: z.unknown() },
  absent: z.optional(z.literal(true)),
  /** The machine on which it would run asks the user, and sees the files. `isFinal`: no hook may answer, and no rule could. */
  mustAsk: z.optional(z.object({ reason: z.string(), isFinal: z.boolean() })),
});
export type Call = z.infer<typeof Call>;

/**
 * Something a call would touch, for the gate, the journal and the live tree: an absolute path; for execution, its
 * directory; a URL.
 */
export const Access = z.object({ kind: z.enum(["read", "write", "execute", "network"]), target: z.string() });
export type Access = z.infer<typeof Access>;

/**
 * `before`: a call of an agent's own tool that is about to run, with its working directory. The supervisor
 * derives from the input what the call touches.
 */
export const BeforeCall = z.extend(Call, { cwd: z.string() });
export type BeforeCall = z.infer<typeof BeforeCall>;

/** The agent of the session that last wrote a file, if another. `path` is the real one. */
export const LastWriter = z.object({ path: z.string(), actor: ActorId, description: z.string() });
export type LastWriter = z.infer<typeof LastWriter>;

/**
 * A file that the hooks of a call changed after the call wrote it: before, after, and their bounded diff, which is
 * empty if the bytes are the same.
 */
export const HookChange = z.object({
  event: z.enum(["PreToolUse", "PostToolUse", "PostToolUseFailure"]),
  before: z.pick(ReadEntry, { size: true, mtimeMs: true, inode: true }),
  now: ReadEntry,
  diff: z.string(),
});
export type HookChange = z.infer<typeof HookChange>;

export const CallDecision = z.discriminatedUnion("type", [
  /** Run it, with `input` instead of the model's own if a hook changed it. */
  z.object({
    type: z.literal("go"),
    input: z.optional(z.unknown()),
    /** A feature may add to the result: wait for the response to `after`. */
    watched: z.optional(z.literal(true)),
    /** Rules deny single files: ask `hidden` about search results before returning them. */
    filtered: z.optional(z.literal(true)),
    /** The directories of its workspace, if they are not those of its start. */
    additionalDirs: z.optional(z.array(z.string())),
    /** Other agents that last wrote what this call is about to write. */
    lastWriters: z.optional(z.array(LastWriter)),
    changed: z.optional(z.array(HookChange)),
  }),
  z.object({ type: z.literal("refuse"), reason: z.string() }),
]);
export type CallDecision = z.infer<typeof CallDecision>;

/** The absolute paths that a running search found. */
export const SearchMatches = z.object({ call: CallId, paths: z.array(z.string()) });
export type SearchMatches = z.infer<typeof SearchMatches>;

/**
 * `response`: the result for hooks and programs, if the tool has more for them. `stop`: a hook on its machine ends the
 * conversation for this reason.
 */
export const AfterCall = z.object({
  id: CallId,
  isError: z.boolean(),
  result: CallResult,
  overdue: z.optional(z.literal(true)),
  response: z.optional(z.unknown()),
  stop: z.optional(z.string()),
});
export type AfterCall = z.infer<typeof AfterCall>;

/** `append`: text that a hook adds to the result. */
export const AfterAnswer = z.object({
  append: z.optional(z.string()),
  changed: z.optional(z.array(HookChange)),
});
export type AfterAnswer = z.infer<typeof AfterAnswer>;
