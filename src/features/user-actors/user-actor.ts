import * as z from "zod/mini";
import type { ActorMessage, Outgoing, UserActorAtRest, UserActorChange } from "../../journal/user-actors.ts";
import { type Clock, within } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import { ActorError } from "./actor-ref.ts";
import type { SealedActor } from "./define-actor.ts";
import type { ActorThread, StartActorThread } from "./start-thread.ts";

export interface UserActorParts {
  readonly name: string;
  readonly definition: SealedActor;
  readonly clock: Clock;
  readonly startThread: StartActorThread;
  /** Resolves when the change is durable. */
  record(change: UserActorChange): Promise<unknown>;
  /** Does what a handler sent, now that it is durable. */
  carryOut(out: Outgoing): void;
  /** Asks another actor for a handler of this one. */
  ask(to: string, message: string, input: unknown, deadlineMs: number): Promise<unknown>;
  onWarning(message: string): void;
}

interface Queued {
  readonly message: ActorMessage;
  readonly durable: Promise<unknown>;
  readonly reply: PromiseWithResolvers<unknown>;
}

/** Milliseconds that a thread has to import the module. */
const START_MS = 60_000;
/** Milliseconds that a handler has to return when the session closes. */
const CLOSE_MS = 2_000;

/**
 * One actor of a library user: a queue, a thread and a state. A message is acknowledged by the record that has the state
 * after it, so a program that dies handles it again, and a handler that crashes does not.
 */
export class UserActor {
  readonly #parts: UserActorParts;
  readonly #queue: Queued[] = [];
  readonly #closing = new AbortController();
  #state: unknown;
  #thread: ActorThread | null = null;
  /** The message in hand, until it is acknowledged. */
  #handling: Promise<void> | null = null;
  /** Its handler runs: if the thread ends now, the message has failed. */
  #isReceiving = false;
  #crashes: number[] = [];
  #ended: UserActorAtRest["ended"] = null;
  #isStopping = false;

  constructor(parts: UserActorParts, { state, pending }: Pick<UserActorAtRest, "state" | "pending">) {
    this.#parts = parts;
    this.#state = state;
    for (const message of pending) this.#push(message, Promise.resolve());
  }

  get definition(): SealedActor {
    return this.#parts.definition;
  }

  get ended(): UserActorAtRest["ended"] {
    return this.#ended;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Returns the state with which it starts. Rejects if its module cannot be imported or the state does not fit. */
  async open(): Promise<unknown> {
    try {
      await this.#openThread();
    } catch (error) {
      await this.#endThread();
      throw error;
    }
    return this.#state;
  }

  /** Handles what waits, from now on. */
  run(): void {
    if (this.#handling !== null || this.#isOver || this.#isStopping) return;
    const [next] = this.#queue;
    if (next === undefined) return;
    this.#handling = this.#handle(next).then(
      () => {
        this.#handling = null;
        this.run();
      },
      (error: unknown) => {
        this.#handling = null;
        this.#end("failed", errorMessage(error));
      },
    );
  }

  /**
   * Takes a message. `durable` resolves when it is in the journal, `reply` with the reply of its handler. Throws
   * ActorError if it cannot be taken. `isOwed`: the mailbox has no limit for it.
   */
  accept(
    message: ActorMessage,
    isOwed = false,
  ): { readonly durable: Promise<unknown>; readonly reply: Promise<unknown> } {
    const { name, definition, record } = this.#parts;
    if (this.#ended !== null) throw new ActorError("ended", `${name} has ended: ${this.#ended.reason}`);
    if (this.#isStopping) throw new ActorError("ended", `${name} is being stopped.`);
    if (this.#closing.signal.aborted) throw new ActorError("closed", CLOSED);
    const type = Object.hasOwn(definition.messages, message.message)
      ? definition.messages[message.message]
      : undefined;
    if (type === undefined) {
      const known = Object.keys(definition.messages).join(", ");
      throw new ActorError("invalid", `${name} has no message ${message.message}; it has: ${known}.`);
    }
    const parsed = z.safeParse(type.input, message.input);
    if (!parsed.success)
      throw new ActorError(
        "invalid",
        `The message ${message.message} to ${name} is invalid: ${z.prettifyError(parsed.error)}`,
      );
    if (!isOwed && this.#queue.length >= definition.mailbox)
      throw new ActorError("full", `${this.#queue.length} messages wait for ${name} already; send it later.`);
    const durable = record({ type: "message", ...message });
    const { reply } = this.#push(message, durable);
    this.run();
    return { durable, reply: reply.promise };
  }

  /** Handles the message in hand, refuses the others, and ends. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#handling;
    if (this.#ended === null) await this.#end("stopped", "It was stopped.");
  }

  /** Leaves what waits for the session that resumes this one. Gives the handler at work a moment to return. */
  async close(): Promise<void> {
    this.#closing.abort(new Error(CLOSED));
    const { clock } = this.#parts;
    if (this.#handling !== null) await within(clock, CLOSE_MS, this.#handling);
    await this.#endThread();
    // It may wait for a disk that hangs.
    if (this.#handling !== null) await within(clock, CLOSE_MS, this.#handling);
    this.#refuseAll(new ActorError("closed", CLOSED));
  }

  get #isOver(): boolean {
    return this.#ended !== null || this.#closing.signal.aborted;
  }

  #push(message: ActorMessage, durable: Promise<unknown>): Queued {
    const reply = Promise.withResolvers<unknown>();
    // It may be that no caller waits for it.
    reply.promise.catch(() => {});
    durable.catch(() => {});
    const queued = { message, durable, reply };
    this.#queue.push(queued);
    return queued;
  }

  /** Rejects only if a change cannot be recorded: then it must not continue. */
  async #handle({ message, durable, reply }: Queued): Promise<void> {
    const { name, record, carryOut, definition } = this.#parts;
    try {
      await durable;
    } catch (error) {
      this.#queue.shift();
      reply.reject(new ActorError("not-recorded", errorMessage(error)));
      return;
    }
    const { id, message: type, input, from: sender } = message;
    const result = await this.#receive({ message: type, input, sender });
    if (!result.ok && this.#isOver) return;
    if (!result.ok) {
      const reason = `${name} crashed at the message ${type}: ${result.message}`;
      await record({ type: "refused", id, reason });
      this.#queue.shift();
      reply.reject(new ActorError("crashed", reason));
      await this.#endThread();
      await this.#afterCrash(reason, definition.restarts);
      return;
    }
    const { value } = result;
    const sent = value.sent.map((out) => ({ ...out, key: `${id}.${out.key}` }));
    const changed = value.state === undefined ? {} : { state: value.state };
    await record({ type: "handled", id, ...changed, sent });
    if (value.state !== undefined) this.#state = value.state;
    this.#queue.shift();
    reply.resolve(value.reply);
    for (const out of sent) carryOut(out);
  }

  async #receive(body: { message: string; input: unknown; sender: string | null }) {
    const { definition } = this.#parts;
    try {
      const thread = this.#thread ?? (await this.#openThread());
      this.#isReceiving = true;
      const result = await thread.requests.call("receive", body, {
        deadlineMs: definition.handlerMs,
        signal: this.#closing.signal,
        waitsForCancel: true,
      });
      return !result.ok && result.kind === "gone" ? { ...result, message: await thread.ended } : result;
    } catch (error) {
      return { ok: false, message: errorMessage(error) } as const;
    } finally {
      this.#isReceiving = false;
    }
  }

  async #openThread(): Promise<ActorThread> {
    const { name, definition, startThread, ask } = this.#parts;
    const thread = startThread(name, {
      ask: ({ to, message, input, deadlineMs }) => ask(to, message, input, deadlineMs),
    });
    this.#thread = thread;
    void thread.ended.then((why) => this.#threadEnded(thread, why));
    const started = await thread.requests.call(
      "start",
      {
        ...{ module: definition.module, definition: definition.name, name },
        ...(this.#state === undefined ? {} : { state: this.#state }),
      },
      { deadlineMs: START_MS },
    );
    if (!started.ok) throw new Error(started.message);
    this.#state = started.value.state;
    return thread;
  }

  /** A thread may die between two messages: a timer of the module that throws. */
  #threadEnded(thread: ActorThread, why: string): void {
    if (this.#thread !== thread) return;
    this.#thread = null;
    if (this.#isReceiving || this.#isOver) return;
    const { name, definition } = this.#parts;
    const crashed = () => this.#afterCrash(`${name} crashed: ${why}`, definition.restarts);
    // A message that was handled already is acknowledged first.
    void (this.#handling ?? Promise.resolve()).then(crashed);
  }

  /** The next message gets a new thread with the last state, unless it crashed too often. */
  async #afterCrash(reason: string, { most, withinMs }: SealedActor["restarts"]): Promise<void> {
    const { clock, onWarning } = this.#parts;
    const now = clock.now();
    this.#crashes = [...this.#crashes.filter((at) => now - at < withinMs), now];
    if (this.#crashes.length <= most) return onWarning(`${reason}. It continues with its last state.`);
    await this.#end("failed", `It crashed ${this.#crashes.length} times, the last time: ${reason}`);
  }

  async #end(status: "stopped" | "failed", reason: string): Promise<void> {
    const { name, record, onWarning } = this.#parts;
    this.#ended = { status, reason };
    if (status === "failed") onWarning(`The actor ${name} has failed: ${reason}`);
    this.#refuseAll(new ActorError("ended", `${name} has ended: ${reason}`));
    await record({ type: "ended", status, reason }).catch((error: Error) => onWarning(error.message));
    await this.#endThread();
  }

  #refuseAll(error: ActorError): void {
    for (const { reply } of this.#queue.splice(0)) reply.reject(error);
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }
}

const CLOSED = "The session was closed.";
