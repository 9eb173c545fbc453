import * as z from "zod/mini";
import { SearchMatches } from "../mailbox/calls.ts";
import type { JsonSchema, ReadEntry, ToolModule } from "../mailbox/messages.ts";
import type { Handlers } from "../mailbox/rpc/table.ts";
import { unchecked } from "../mailbox/rpc/table.ts";
import { RunRequest, type RunResult } from "../mailbox/runs.ts";
import type { ToolEnd } from "../tools/bind-tool.ts";
import type { ThreadCallContext } from "../tools/tool.ts";
import type { CheckedData } from "./ending.ts";

/** One call for a leased thread: the tool's input, and what the tool may know of its agent. */
export interface ThreadCall {
  readonly tool: string;
  /** A library user's tool, imported in the thread. */
  readonly module?: ToolModule;
  readonly input: unknown;
  readonly context: Pick<
    ThreadCallContext,
    "call" | "actor" | "cwd" | "root" | "additionalDirs" | "lastWriters" | "resultChars" | "fileRules"
  >;
  /** What the agent has seen of files; empty for a call that changes none. */
  readonly reads: readonly ReadEntry[];
}

export interface DataCheck {
  readonly schema: JsonSchema;
  readonly value: unknown;
}

/** The result of a call, and what the agent has seen of files by it. */
export interface ThreadResult {
  readonly end: ToolEnd;
  readonly reads: readonly ReadEntry[];
}

/** What the supervisor requests of a thread. Both sides are our own code, so these bodies are not checked. */
export const THREAD_CALLS = {
  call: { request: unchecked<ThreadCall>(), response: unchecked<ThreadResult>() },
  /** Whether an agent's answer fits its schema. */
  check: { request: unchecked<DataCheck>(), response: unchecked<CheckedData>() },
  /** The response shows that the thread's loop turns. */
  pulse: { request: z.null(), response: z.null() },
};

/** What a thread requests for the call that runs in it. Checked: a library user's code may run there. */
export const CALL_NEEDS = {
  run: { request: z.omit(RunRequest, { owner: true }), response: unchecked<RunResult>() },
  hidden: { request: SearchMatches, response: unchecked<readonly string[]>() },
};

/** The supervisor's side of `CALL_NEEDS`, for one actor. */
export type CallNeeds = Handlers<typeof CALL_NEEDS>;
