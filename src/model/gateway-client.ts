import type { MessagePort } from "node:worker_threads";
import { type Clock, pause, systemClock } from "../lib/clock.ts";
import { Caller } from "../mailbox/rpc/caller.ts";
import { type Channel, portChannel } from "../mailbox/rpc/channel.ts";
import type { Result } from "../mailbox/rpc/frames.ts";
import { sender } from "../mailbox/rpc/server.ts";
import type { ModelClient, ModelOutcome, ModelRequest, OnModelEvent } from "./client.ts";
import { ConversationSender, type EncodeMessage, messageEncoder } from "./conversation-transfer.ts";
import { cancelled, failedOutcome } from "./failures.ts";
import { type modelNotices, modelRequests } from "./gateway-messages.ts";

/** Milliseconds to wait for a new port; a thread is started for it, and the machine may be busy. */
const RECONNECT_MS = 30_000;
/**
 * A port may come from a dying thread: then it closes, and the next one is requested after ever longer waits
 * (milliseconds), until one delivers a message.
 */
const WAITS_MS = [0, 20, 80, 320, 1000, 1000, 1000, 1000, 1000, 1000];

/** Milliseconds that a count may take on the agent's side: the provider's own limit, and the transport. */
const COUNT_MS = 5_000;

const STOPPED = "The model gateway stopped before the reply was complete";

/**
 * Gives a port to the gateway that replaced the dead one, or rejects if there is no gateway. Called once for all open
 * requests; a port that comes too late is closed.
 */
export type Reconnect = () => Promise<MessagePort>;

/**
 * The agent's end of its model channel. When its port closes because the gateway's thread died, it requests
 * another and sends its open requests again: only whole replies leave it, so streaming starts over. Without another
 * port, every request ends with a `connection` failure, so that no agent waits for a dead gateway. The port keeps the
 * thread alive only during a request.
 */
export class GatewayClient implements ModelClient {
  readonly name = "gateway";
  readonly #reconnect: Reconnect | undefined;
  readonly #clock: Clock;
  readonly #conversation: ConversationSender;
  readonly #caller: Caller<typeof modelRequests>;
  /** Null without a gateway, or while another port is requested. */
  #channel: Channel | null = null;
  #isReconnecting = false;
  /** Consecutive ports that delivered nothing. */
  #failedConnects = 0;
  #closed = false;
  #isWatched = false;

  /** `encode` is shared by clients whose conversations share messages. */
  constructor(
    port: MessagePort,
    reconnect?: Reconnect,
    clock: Clock = systemClock,
    encode: EncodeMessage = messageEncoder(),
  ) {
    this.#reconnect = reconnect;
    this.#clock = clock;
    this.#conversation = new ConversationSender(encode);
    this.#caller = new Caller(modelRequests, { clock, peer: "The model gateway" });
    this.#use(port);
  }

  async ask(request: ModelRequest, on: OnModelEvent, signal: AbortSignal): Promise<ModelOutcome> {
    let again = 0;
    const asked = this.#caller.call("ask", () => this.#conversation.next(request), {
      ...{ signal, onEvent: on, replays: Number.POSITIVE_INFINITY },
      onReplay: () => {
        // Shown once, however many ports it takes.
        if (this.#failedConnects !== 1) return;
        again += 1;
        on({ type: "waiting", reason: `${STOPPED}; the request is sent again.`, ms: 0, attempt: again });
      },
    });
    if (this.#channel === null) this.#replace();
    return outcomeOf(await asked);
  }

  /** Not sent again, and not awaited for long: there is an estimate. */
  async countTokens(request: ModelRequest, signal: AbortSignal): Promise<number | null> {
    const body = () => this.#conversation.next(request);
    const counted = await this.#caller.call("count", body, { signal, deadlineMs: COUNT_MS });
    return counted.ok ? counted.value : null;
  }

  /** Whether the text of replies comes as it is written, also if a request did not ask for it. */
  watch(on: boolean): void {
    if (this.#isWatched === on) return;
    this.#isWatched = on;
    if (this.#channel) sender<typeof modelNotices>(this.#channel)("watch", on);
  }

  /** Closes the current port, and ends open requests. */
  close(): void {
    this.#closed = true;
    this.#channel?.close();
    this.#channel = null;
    this.#caller.detach(STOPPED);
    this.#caller.giveUp(STOPPED);
  }

  #use(port: MessagePort): void {
    const channel = portChannel(port, { idle: "released" });
    this.#channel = channel;
    this.#conversation.reset();
    if (this.#isWatched) sender<typeof modelNotices>(channel)("watch", true);
    channel.onFrame(() => {
      this.#failedConnects = 0;
    });
    this.#caller.attach({
      ...channel,
      post: (frame) => {
        try {
          channel.post(frame);
        } catch (error) {
          // The gateway does not have what the next request would build on.
          this.#conversation.reset();
          throw error;
        }
      },
    });
    channel.onClose(() => {
      if (this.#channel !== channel) return;
      this.#channel = null;
      this.#replace();
    });
  }

  /** The port is closed. Another is requested as soon as a request needs one. */
  #replace(): void {
    if (this.#reconnect === undefined || this.#closed) this.#caller.giveUp(STOPPED);
    else if (this.#caller.open > 0 && !this.#isReconnecting) void this.#connectAnew(this.#reconnect);
  }

  async #connectAnew(reconnect: Reconnect): Promise<void> {
    const waitMs = WAITS_MS[this.#failedConnects];
    this.#failedConnects += 1;
    this.#isReconnecting = true;
    if (waitMs) await pause(this.#clock, waitMs);
    const port = waitMs === undefined || this.#closed ? undefined : await this.#inTime(reconnect);
    this.#isReconnecting = false;
    if (port !== undefined && !this.#closed) return this.#use(port);
    port?.close();
    this.#failedConnects = 0;
    this.#caller.giveUp(STOPPED);
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
}

function outcomeOf(result: Result<ModelOutcome>): ModelOutcome {
  if (result.ok) return result.value;
  switch (result.kind) {
    case "cancelled":
      return cancelled;
    case "gone":
    case "late":
      return failedOutcome({ kind: "connection", message: `${STOPPED}.` });
    case "unsendable":
      return failedOutcome({
        kind: "invalid_request",
        message: `The request is not plain data: ${result.message}`,
      });
    case "failed":
    case "malformed":
      // A library user's client may return anything.
      return failedOutcome({
        kind: "protocol",
        message: `The model client's answer cannot be used: ${result.message}`,
      });
    default:
      return result.kind satisfies never;
  }
}
