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

/**
 * What an agent's thread may request of its supervisor. Requests are checked, as the thread is not trusted; responses
 * are our own.
 */
export const SERVICES = {
  /** Durable, then gated: sent before a call runs in the agent's own thread. */
  before: { request: BeforeCall, response: unchecked<CallDecision>() },
  after: { request: AfterCall, response: unchecked<AfterAnswer>() },
  /** A tool of the supervisor, gated and journalled there. Without a deadline: it ends with the peer. */
  callTool: { request: Call, response: unchecked<CallResult>() },
  /** A reply with calls, before they run. Recorded in the order of the channel: before anything its calls do. */
  reply: { request: OpenReply, response: unchecked<null>() },
  /** The calls without a result only wait: may the thread be released? */
  yield: { request: OpenTurn, response: unchecked<YieldAnswer>() },
  /** A new channel to the model after the old one closed. The number counts the requests. */
  model: { request: z.number(), response: unchecked<MessagePort>() },
  /** The turn is durable when the response arrives; it brings what was sent to the agent since. */
  turn: { request: Turn, response: unchecked<TurnAnswer>() },
  /** Closes the race with late steering: either the actor is closed, or it gets more input and continues. */
  finish: { request: Finish, response: unchecked<FinishAnswer>() },
  /** Before a summary of the conversation is written: hooks may reject it or add instructions. */
  compacting: { request: CompactBegin, response: unchecked<CompactAnswer>() },
  /** How the model sees the conversation from now on, durable when the response arrives; null if unchanged. */
  compacted: { request: CompactEnd, response: unchecked<Compacted | null>() },
  /** Asks which search results the agent may not see. */
  hidden: { request: SearchMatches, response: unchecked<readonly string[]>() },
  run: { request: RunRequest, response: unchecked<RunResult>() },
  /** A command in a shell, for a running call. */
  command: { request: CommandRequest, response: unchecked<CommandResult>() },
  /** A background command: responds when it runs; its end comes as steering. */
  background: { request: BackgroundRequest, response: unchecked<BackgroundAnswer>() },
} as const;

type ServiceTable = typeof SERVICES;

/**
 * What an agent may request of its supervisor. A worker never decides; it asks (promise 2). Every call is awaited
 * (the back-pressure), answered once per ID, and rejected with `PeerGone` when the other side has gone; a request of
 * an older attempt of the same actor is refused.
 */
export type Services = {
  [M in keyof ServiceTable]: (question: RequestOf<ServiceTable, M>) => Promise<ResponseOf<ServiceTable, M>>;
};

/** Thrown at the caller's end of a closed channel: never a bug, so it has its own type. */
export class PeerGone extends Error {
  override readonly name = "PeerGone";
  constructor(who: string) {
    super(`${who} is gone; no answer will come`);
  }
}
