import type {
  AfterAnswer,
  AfterCall,
  BeforeCall,
  Call,
  CallResult,
  Finish,
  FinishAnswer,
  Turn,
  TurnAnswer,
  Verdict,
} from "./messages.ts";
import type { RunRequest, RunResult } from "./runs.ts";

/**
 * What an agent may ask of its supervisor. A worker never decides; it asks (promise 2). Every call is
 * awaited (that is the back-pressure), answered once per id, and rejected with `PeerGone` when the other
 * side is gone; an answer to an older attempt of the same actor is refused.
 */
export interface Services {
  /** Durable, then gated: asked before a call runs in the agent's own thread. */
  before(call: BeforeCall): Promise<Verdict>;
  after(call: AfterCall): Promise<AfterAnswer>;
  /** A tool that lives on the supervisor's side, gated and journalled there. No deadline: its end is the peer's end. */
  callTool(call: Call): Promise<CallResult>;
  /** The turn is durable when this answers; brings what was said to the agent meanwhile. */
  turn(turn: Turn): Promise<TurnAnswer>;
  finish(finish: Finish): Promise<FinishAnswer>;
  run(request: RunRequest): Promise<RunResult>;
}

/** The asker's end of a lane whose other side is gone: a bug nowhere, so it is a type of its own. */
export class PeerGone extends Error {
  override readonly name = "PeerGone";
  constructor(who: string) {
    super(`${who} is gone; no answer will come`);
  }
}
