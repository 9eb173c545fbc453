import type { MessagePort } from "node:worker_threads";
import { errorMessage } from "../lib/errors.ts";
import { type Clock, pause, systemClock } from "../mailbox/clock.ts";
import type { ModelClient, ModelFailureKind, ModelOutcome, ModelRequest, OnModelEvent } from "./client.ts";
import { ConversationSender, type EncodeMessage, messageEncoder } from "./conversation-transfer.ts";
import type { FromGateway, ToGateway } from "./gateway-messages.ts";

/** Milliseconds to wait for a new port; a thread is started for it, and the machine may be busy. */
const RECONNECT_MS = 30_000;
/**
 * A port may come from a dying thread: then it closes, and the next one is requested after ever longer waits
 * (milliseconds), until one delivers a message.
 */
const WAITS_MS = [0, 20, 80, 320, 1000, 1000, 1000, 1000, 1000, 1000];

/** Milliseconds that a count may take on the agent's side: the provider's own limit, and the transport. */
const COUNT_MS = 5_000;

interface Asked {
  readonly request: ModelRequest;
  readonly on: OnModelEvent;
  readonly settle: (outcome: ModelOutcome) => void;
  /** How often it was sent again. */
  again: number;
}

/**
 * Gives a port to the gateway that replaced the dead one, or rejects if there is no gateway. Called once for all open
 * requests; a port that comes too late is closed.
 */
export type Reconnect = () => Promise<MessagePort>;

/**
 * A model at the other end of a channel. It owns its ports: `close` closes the current one, and ends open requests.
 */
export interface LaneModel extends ModelClient {
  /** Whether the text of replies comes as it is written, also if a request did not ask for it. */
  watch(on: boolean): void;
  close(): void;
}

/**
 * Returns the agent's end of its model channel. When its port closes because the gateway's thread died, it requests
 * another and sends its open requests again: only whole replies leave it, so streaming starts over. Without another
 * port, every request ends with a `connection` failure, so that no agent waits for a dead gateway. The port keeps the
 * thread alive only during a request. `encode` is shared by lanes whose conversations share messages.
 */
export function gatewayClient(
  port: MessagePort,
  reconnect?: Reconnect,
  clock: Clock = systemClock,
  encode: EncodeMessage = messageEncoder(),
): LaneModel {
  return new Lane(port, reconnect, clock, encode);
}

class Lane implements LaneModel {
  readonly name = "gateway";
  readonly #reconnect: Reconnect | undefined;
  readonly #clock: Clock;
  readonly #conversation: ConversationSender;
  readonly #open = new Map<number, Asked>();
  readonly #counts = new Map<number, (tokens: number | null) => void>();
  /** Undefined without a gateway, or while one is requested. */
  #port: MessagePort | undefined;
  #asking = false;
  /** Consecutive ports that delivered nothing. */
  #failedConnects = 0;
  #closed = false;
  #isWatched = false;
  #counter = 0;

  constructor(port: MessagePort, reconnect: Reconnect | undefined, clock: Clock, encode: EncodeMessage) {
    this.#reconnect = reconnect;
    this.#clock = clock;
    this.#conversation = new ConversationSender(encode);
    this.#use(port);
  }

  ask(request: ModelRequest, on: OnModelEvent, signal: AbortSignal): Promise<ModelOutcome> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(cancelled());
      const id = this.#counter++;
      const cancel = () => {
        this.#post({ type: "cancel", id });
        // Settled here: an abort must not wait for a round trip, nor for a busy or dead gateway.
        this.#settle(id, cancelled());
      };
      this.#open.set(id, {
        ...{ request, on, again: 0 },
        settle(outcome) {
          signal.removeEventListener("abort", cancel);
          resolve(outcome);
        },
      });
      signal.addEventListener("abort", cancel, { once: true });
      this.#send(id, request);
    });
  }

  countTokens(request: ModelRequest, signal: AbortSignal): Promise<number | null> {
    const port = this.#port;
    if (signal.aborted || port === undefined) return Promise.resolve(null);
    return new Promise((resolve) => {
      const id = this.#counter++;
      const settle = (tokens: number | null) => {
        if (!this.#counts.delete(id)) return;
        withdraw();
        signal.removeEventListener("abort", give);
        this.#unrefIdle();
        resolve(tokens);
      };
      const give = () => {
        this.#post({ type: "cancel", id });
        settle(null);
      };
      // There is an estimate, so the agent does not wait long for the gateway.
      const withdraw = this.#clock.after(COUNT_MS, give);
      signal.addEventListener("abort", give, { once: true });
      this.#counts.set(id, settle);
      try {
        port.ref();
        this.#post({ type: "count", id, request: this.#conversation.next(request) });
      } catch {
        this.#conversation.reset();
        settle(null);
      }
    });
  }

  watch(on: boolean): void {
    if (this.#isWatched === on) return;
    this.#isWatched = on;
    this.#post({ type: "watch", on });
  }

  close(): void {
    this.#closed = true;
    this.#port?.close();
    this.#port = undefined;
    this.#endCounts();
    this.#giveUp();
  }

  /** Not sent again: an estimate is good enough. */
  #endCounts(): void {
    for (const settle of [...this.#counts.values()]) settle(null);
  }

  #use(port: MessagePort): void {
    this.#port = port;
    this.#conversation.reset();
    port.on("message", (message: FromGateway) => this.#receive(message));
    port.once("close", () => {
      if (this.#port === port) this.#lost();
    });
    port.unref();
    if (this.#isWatched) this.#post({ type: "watch", on: true });
  }

  #receive(message: FromGateway): void {
    this.#failedConnects = 0;
    switch (message.type) {
      case "event":
        this.#open.get(message.id)?.on(message.event);
        return;
      case "outcome":
        this.#settle(message.id, message.outcome);
        return;
      case "counted":
        this.#counts.get(message.id)?.(message.tokens);
        return;
      default:
        message satisfies never;
    }
  }

  #send(id: number, request: ModelRequest): void {
    this.#port?.ref();
    // A closed port cannot be kept alive; its close event may have come before there was a listener.
    if (!this.#port?.hasRef()) {
      this.#lost();
      return;
    }
    try {
      this.#post({ type: "ask", id, request: this.#conversation.next(request) });
    } catch (error) {
      this.#conversation.reset();
      const reason = errorMessage(error);
      this.#settle(id, failure("invalid_request", `The request is not plain data: ${reason}`));
    }
  }

  #post(message: ToGateway): void {
    this.#port?.postMessage(message);
  }

  #settle(id: number, outcome: ModelOutcome): void {
    const asked = this.#open.get(id);
    this.#open.delete(id);
    this.#unrefIdle();
    asked?.settle(outcome);
  }

  #unrefIdle(): void {
    if (this.#open.size === 0 && this.#counts.size === 0) this.#port?.unref();
  }

  /** The port is closed. Another is requested as soon as a request needs one. */
  #lost(): void {
    this.#port = undefined;
    this.#endCounts();
    if (this.#reconnect === undefined || this.#closed) this.#giveUp();
    else if (this.#open.size > 0 && !this.#asking) void this.#askAnew(this.#reconnect);
  }

  async #askAnew(reconnect: Reconnect): Promise<void> {
    const waitMs = WAITS_MS[this.#failedConnects];
    this.#failedConnects += 1;
    this.#asking = true;
    if (waitMs) await pause(this.#clock, waitMs);
    const port = waitMs === undefined || this.#closed ? undefined : await this.#inTime(reconnect);
    this.#asking = false;
    if (port === undefined || this.#closed) {
      port?.close();
      this.#failedConnects = 0;
      this.#giveUp();
      return;
    }
    this.#use(port);
    for (const [id, asked] of [...this.#open]) this.#sendAgain(id, asked);
  }

  #sendAgain(id: number, asked: Asked): void {
    const reason = "The model gateway stopped before the reply was complete; the request is sent again.";
    // Shown once, however many ports it takes.
    if (this.#failedConnects === 1) {
      asked.again += 1;
      asked.on({ type: "waiting", reason, ms: 0, attempt: asked.again });
    }
    this.#send(id, asked.request);
  }

  /** Never rejects: undefined means no port. */
  #inTime(reconnect: Reconnect): Promise<MessagePort | undefined> {
    return new Promise((resolve) => {
      let late = false;
      const withdraw = this.#clock.after(RECONNECT_MS, () => {
        late = true;
        resolve(undefined);
      });
      const come = (port: MessagePort) => {
        withdraw();
        if (late) port.close();
        else resolve(port);
      };
      const none = () => {
        withdraw();
        resolve(undefined);
      };
      // It may throw before it returns a promise.
      Promise.resolve().then(reconnect).then(come, none);
    });
  }

  #giveUp(): void {
    for (const id of [...this.#open.keys()]) this.#settle(id, stopped());
  }
}

function cancelled(): ModelOutcome {
  return failure("cancelled", "The request was cancelled.");
}

function stopped(): ModelOutcome {
  return failure("connection", "The model gateway stopped before the reply was complete.");
}

function failure(kind: ModelFailureKind, message: string): ModelOutcome {
  return { type: "failure", failure: { kind, message } };
}
