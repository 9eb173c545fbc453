import type { MessagePort } from "node:worker_threads";
import * as z from "zod/mini";
import type { AfterAnswer, AfterCall, BeforeCall, Call, CallDecision, SearchMatches } from "./calls.ts";
import {
  type CompactAnswer,
  type CompactBegin,
  type CompactEnd,
  type Compacted,
  CompactRequest,
} from "./compacted.ts";
import { ActorModel, type CallResult, LastTurn, type Reply, Steer, Summary, Turn } from "./messages.ts";
import type {
  BackgroundAnswer,
  BackgroundRequest,
  CommandRequest,
  CommandResult,
  RunRequest,
  RunResult,
} from "./runs.ts";

/**
 * What an actor may request of its supervisor. An actor never decides; it asks (promise 2). Every request is awaited, and
 * one of an older attempt of the same actor is refused.
 */
export interface Services {
  /** Durable, then gated: requested before a call of an agent's own tool runs. */
  before(call: BeforeCall): Promise<CallDecision>;
  after(call: AfterCall): Promise<AfterAnswer>;
  /** A tool of the session, gated and journalled there. */
  callTool(call: Call): Promise<CallResult>;
  /** A reply with calls, before they run: recorded before anything its calls do. */
  reply(reply: Reply): Promise<null>;
  /** A new channel to the model after the old one closed. The number counts the requests. */
  model(count: number): Promise<MessagePort>;
  /** The turn is durable when the response arrives; it brings what was sent to the agent since. */
  turn(turn: Turn): Promise<TurnAnswer>;
  /** Closes the race with late steering: either the actor is closed, or it gets more input and continues. */
  finish(finish: Finish): Promise<FinishAnswer>;
  /** Before a summary of the conversation is written: hooks may reject it or add instructions. */
  compacting(begin: CompactBegin): Promise<CompactAnswer>;
  /** How the model sees the conversation from now on, durable when the response arrives; null if unchanged. */
  compacted(end: CompactEnd): Promise<Compacted | null>;
  /** Asks which search results the agent may not see. */
  hidden(found: SearchMatches): Promise<readonly string[]>;
  run(request: RunRequest): Promise<RunResult>;
  command(request: CommandRequest): Promise<CommandResult>;
  background(request: BackgroundRequest): Promise<BackgroundAnswer>;
}

/** Thrown at an actor that has ended, or whose supervisor has: never a bug, so it has its own type. */
export class PeerGone extends Error {
  override readonly name = "PeerGone";
  constructor(who: string) {
    super(`${who} is gone; no answer will come`);
  }
}

/**
 * `compact`: the user's request to compact the conversation before the next request. `model`: another one from the next
 * request on.
 */
export const TurnAnswer = z.object({
  steer: z.array(Steer),
  last: z.optional(LastTurn),
  compact: z.optional(CompactRequest),
  model: z.optional(ActorModel),
});
export type TurnAnswer = z.infer<typeof TurnAnswer>;

/** `compacted`: this run only compacted the conversation, so it has no answer. */
export const Finish = z.object({
  turn: z.nullable(Turn),
  summary: Summary,
  compacted: z.optional(z.literal(true)),
});
export type Finish = z.infer<typeof Finish>;

/** Either the actor is closed, or it gets more input and continues: no steering is lost. */
export const FinishAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("closed") }),
  z.extend(TurnAnswer, { type: z.literal("more") }),
]);
export type FinishAnswer = z.infer<typeof FinishAnswer>;
