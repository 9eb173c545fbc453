import * as z from "zod/mini";
import {
  type AfterAnswer,
  AfterCall,
  BeforeCall,
  Call,
  type CallDecision,
  SearchMatches,
} from "../mailbox/calls.ts";
import { type CompactAnswer, CompactBegin, type CompactEnd, type Compacted } from "../mailbox/compacted.ts";
import { type ActorSpec, type CallResult, FromAgent, Reply, Turn } from "../mailbox/messages.ts";
import type { Frame } from "../mailbox/rpc/frames.ts";
import { type Notices, type Requests, unchecked } from "../mailbox/rpc/table.ts";
import {
  type BackgroundAnswer,
  BackgroundRequest,
  CommandRequest,
  type CommandResult,
  RunRequest,
  type RunResult,
} from "../mailbox/runs.ts";
import { Finish, type FinishAnswer, type TurnAnswer } from "../mailbox/turn-answers.ts";

/** What an agent's process requests of its runner: all services but the model. Checked, as tools run in that process. */
export const agentRequests = {
  before: { request: BeforeCall, response: unchecked<CallDecision>() },
  after: { request: AfterCall, response: unchecked<AfterAnswer>() },
  callTool: { request: Call, response: unchecked<CallResult>() },
  reply: { request: Reply, response: unchecked<null>() },
  turn: { request: Turn, response: unchecked<TurnAnswer>() },
  finish: { request: Finish, response: unchecked<FinishAnswer>() },
  compacting: { request: CompactBegin, response: unchecked<CompactAnswer>() },
  compacted: { request: unchecked<CompactEnd>(), response: unchecked<Compacted | null>() },
  hidden: { request: SearchMatches, response: unchecked<readonly string[]>() },
  run: { request: RunRequest, response: unchecked<RunResult>() },
  command: { request: CommandRequest, response: unchecked<CommandResult>() },
  background: { request: BackgroundRequest, response: unchecked<BackgroundAnswer>() },
} satisfies Requests;

/** One message of a channel to the model, or its end (null). A process may open several, each with its number. */
const ModelFrame = z.object({ port: z.number(), frame: unchecked<Frame | null>() });
export type ModelFrame = z.infer<typeof ModelFrame>;

/** From the runner to an agent's process. */
export const processNotices = {
  begin: unchecked<ActorSpec>(),
  cancel: z.string(),
  watch: z.boolean(),
  model: ModelFrame,
} satisfies Notices;

/** How an agent's loop ended. */
export const LoopEnd = z.discriminatedUnion("type", [
  z.object({ type: z.literal("returned") }),
  z.object({ type: z.literal("threw"), message: z.string() }),
]);
export type LoopEnd = z.infer<typeof LoopEnd>;

/** From an agent's process to its runner. */
export const agentReports = { report: FromAgent, ended: LoopEnd, model: ModelFrame } satisfies Notices;
