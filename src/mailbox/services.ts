import type { MessagePort } from "node:worker_threads";
import * as z from "zod/mini";
import { type CompactAnswer, CompactBegin, CompactEnd, type Compacted } from "./compacted.ts";
import {
  type AfterAnswer,
  AfterCall,
  BeforeCall,
  Call,
  type CallDecision,
  type CallResult,
  Reply as OpenReply,
  OpenTurn,
  SearchMatches,
  Turn,
} from "./messages.ts";
import type { RequestOf, ResponseOf } from "./rpc/table.ts";
import { unchecked } from "./rpc/table.ts";
import {
  type BackgroundAnswer,
  BackgroundRequest,
  CommandRequest,
  type CommandResult,
  RunRequest,
  type RunResult,
} from "./runs.ts";
import { Finish, type FinishAnswer, type TurnAnswer, type YieldAnswer } from "./turn-answers.ts";

/** What an agent's thread may ask of its supervisor. It is not trusted to ask well-formed questions; answers are ours. */
export const SERVICES = {
  /** Durable, then gated: asked before a call runs in the agent's own thread. */
  before: { request: BeforeCall, response: unchecked<CallDecision>() },
  after: { request: AfterCall, response: unchecked<AfterAnswer>() },
  /** A tool that lives on the supervisor's side, gated and journalled there. No deadline: its end is the peer's end. */
  callTool: { request: Call, response: unchecked<CallResult>() },
  /** A reply that has calls, before they run. It is noted in the order of the lane: before anything its calls do. */
  reply: { request: OpenReply, response: unchecked<null>() },
  /** The calls that have no result only wait: may the thread go? */
  yield: { request: OpenTurn, response: unchecked<YieldAnswer>() },
  /** A new lane to the model, where the old one closed. Asked again for each; the question counts. */
  model: { request: z.number(), response: unchecked<MessagePort>() },
  /** The turn is durable when this answers; brings what was said to the agent meanwhile. */
  turn: { request: Turn, response: unchecked<TurnAnswer>() },
  /** Closes the race with late steering: either the actor is closed, or it is given more and goes round again. */
  finish: { request: Finish, response: unchecked<FinishAnswer>() },
  /** Before a summary of the conversation is written: hooks may be against it, or have something to say to it. */
  compacting: { request: CompactBegin, response: unchecked<CompactAnswer>() },
  /** How the conversation is shown from now on, durable when this answers; null: as before. */
  compacted: { request: CompactEnd, response: unchecked<Compacted | null>() },
  /** Which of the files that a search found its agent may not be told of. */
  hidden: { request: SearchMatches, response: unchecked<readonly string[]>() },
  run: { request: RunRequest, response: unchecked<RunResult>() },
  /** A command in a shell, for a call that runs. */
  command: { request: CommandRequest, response: unchecked<CommandResult>() },
  /** The same beside the conversation: answers when it runs; its end is told by steering. */
  background: { request: BackgroundRequest, response: unchecked<BackgroundAnswer>() },
} as const;

type ServiceTable = typeof SERVICES;

/**
 * What an agent may ask of its supervisor. A worker never decides; it asks (promise 2). Every call is
 * awaited (that is the back-pressure), answered once per id, and rejected with `PeerGone` when the other
 * side is gone; an answer to an older attempt of the same actor is refused.
 */
export type Services = {
  [M in keyof ServiceTable]: (question: RequestOf<ServiceTable, M>) => Promise<ResponseOf<ServiceTable, M>>;
};

/** The asker's end of a lane whose other side is gone: a bug nowhere, so it is a type of its own. */
export class PeerGone extends Error {
  override readonly name = "PeerGone";
  constructor(who: string) {
    super(`${who} is gone; no answer will come`);
  }
}
