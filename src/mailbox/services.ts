import type { MessagePort } from "node:worker_threads";
import type { CompactAnswer, CompactBegin, CompactEnd, Compacted } from "./compacted.ts";
import type {
  AfterAnswer,
  AfterCall,
  BeforeCall,
  Call,
  CallResult,
  Found,
  OpenTurn,
  Reply,
  Turn,
  Verdict,
} from "./messages.ts";
import type {
  BackgroundAnswer,
  BackgroundRequest,
  CommandRequest,
  CommandResult,
  RunRequest,
  RunResult,
} from "./runs.ts";
import type { Finish, FinishAnswer, TurnAnswer, YieldAnswer } from "./turn-answers.ts";

/** Question and answer of each service, tied so that no asker has to check what it got. */
export interface ServiceMap {
  /** Durable, then gated: asked before a call runs in the agent's own thread. */
  before: { question: BeforeCall; answer: Verdict };
  after: { question: AfterCall; answer: AfterAnswer };
  /** A tool that lives on the supervisor's side, gated and journalled there. No deadline: its end is the peer's end. */
  callTool: { question: Call; answer: CallResult };
  /** A reply that has calls, before they run. It is noted in the order of the lane: before anything its calls do. */
  reply: { question: Reply; answer: null };
  /** The calls that have no result only wait: may the thread go? */
  yield: { question: OpenTurn; answer: YieldAnswer };
  /** A new lane to the model, where the old one closed. Asked again for each; `question` counts. */
  model: { question: number; answer: MessagePort };
  /** The turn is durable when this answers; brings what was said to the agent meanwhile. */
  turn: { question: Turn; answer: TurnAnswer };
  /** Closes the race with late steering: either the actor is closed, or it is given more and goes round again. */
  finish: { question: Finish; answer: FinishAnswer };
  /** Before a summary of the conversation is written: hooks may be against it, or have something to say to it. */
  compacting: { question: CompactBegin; answer: CompactAnswer };
  /** How the conversation is shown from now on, durable when this answers; null: as before. */
  compacted: { question: CompactEnd; answer: Compacted | null };
  /** Which of the files that a search found its agent may not be told of. */
  hidden: { question: Found; answer: readonly string[] };
  run: { question: RunRequest; answer: RunResult };
  /** A command in a shell, for a call that runs. */
  command: { question: CommandRequest; answer: CommandResult };
  /** The same beside the conversation: answers when it runs; its end is told by steering. */
  background: { question: BackgroundRequest; answer: BackgroundAnswer };
}

/**
 * What an agent may ask of its supervisor. A worker never decides; it asks (promise 2). Every call is
 * awaited (that is the back-pressure), answered once per id, and rejected with `PeerGone` when the other
 * side is gone; an answer to an older attempt of the same actor is refused.
 */
export type Services = {
  [M in keyof ServiceMap]: (question: ServiceMap[M]["question"]) => Promise<ServiceMap[M]["answer"]>;
};

/** The asker's end of a lane whose other side is gone: a bug nowhere, so it is a type of its own. */
export class PeerGone extends Error {
  override readonly name = "PeerGone";
  constructor(who: string) {
    super(`${who} is gone; no answer will come`);
  }
}
