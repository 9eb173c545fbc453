import { MessageChannel, type MessagePort } from "node:worker_threads";
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
import { Finish, type FinishAnswer, type TurnAnswer } from "../mailbox/services.ts";

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

/**
 * Channels to the model, carried between two processes by numbered messages: each end has a port, and a port that closes
 * closes its counterpart. So a key of a model stays in the runner's process.
 */
export class ModelPorts {
  readonly #ports = new Map<number, MessagePort>();
  readonly #send: (message: ModelFrame) => void;
  /** Gives the port for a number that the other side has opened; null if it may open none. */
  readonly #accept: (() => MessagePort) | null;
  #last = 0;

  constructor(send: (message: ModelFrame) => void, accept: (() => MessagePort) | null = null) {
    this.#send = send;
    this.#accept = accept;
  }

  /** Opens a new channel, and returns this side's end of it. */
  open(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#last += 1;
    this.#carry(this.#last, port1);
    return port2;
  }

  receive({ port: number, frame }: ModelFrame): void {
    const known = this.#ports.get(number);
    if (frame === null) known?.close();
    else (known ?? this.#accepted(number))?.postMessage(frame);
  }

  close(): void {
    for (const port of this.#ports.values()) port.close();
  }

  #accepted(number: number): MessagePort | null {
    // Numbers only grow: a late message of a channel that was closed opens no new one.
    if (this.#accept === null || number <= this.#last) return null;
    this.#last = number;
    const port = this.#accept();
    this.#carry(number, port);
    return port;
  }

  #carry(number: number, port: MessagePort): void {
    this.#ports.set(number, port);
    port.on("message", (frame: Frame) => this.#send({ port: number, frame }));
    port.once("close", () => {
      this.#ports.delete(number);
      this.#send({ port: number, frame: null });
    });
  }
}
