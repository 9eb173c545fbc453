import type { Clock } from "../lib/clock.ts";
import type { FromAgent } from "../mailbox/messages.ts";
import { Caller, type CallOptions } from "../mailbox/rpc/caller.ts";
import { type Packet, type ReliableChannel, reliableChannel } from "../mailbox/rpc/reliable-channel.ts";
import { receive, sender } from "../mailbox/rpc/server.ts";
import type { NoticeHandlers, RequestOf, ResponseOf } from "../mailbox/rpc/table.ts";
import {
  agentNotices,
  type attemptNotices,
  attemptRequests,
  type Paid,
  type RunnerExit,
} from "../mailbox/runners.ts";

export interface SessionLinkParts {
  readonly clock: Clock;
  /** Hands a packet to the engine, which may lose it. Must not throw. */
  send(packet: Packet): void;
  readonly notices: NoticeHandlers<typeof agentNotices>;
}

type Method = keyof typeof attemptRequests;

/** Milliseconds between two signs of life, by which this side notices that its session is gone. */
const SIGN_MS = 60_000;
/** Messages that the session has not received, after which reports are dropped. */
const MOST_LATE = 100;

/**
 * One attempt's line to its session. Requests wait as long as it takes: each is sent again until it is received, and the
 * session answers it once for its key, also after a restart.
 */
export class SessionLink {
  readonly #clock: Clock;
  readonly #channel: ReliableChannel;
  readonly #caller: Caller<typeof attemptRequests>;
  readonly #notify: ReturnType<typeof sender<typeof attemptNotices>>;
  readonly #keys = new Map<string, number>();
  #hasBegun = false;
  #withdrawSign: () => void;
  /** Since when the session has received nothing that was sent; null if it has all. */
  #silentSince: number | null = null;

  constructor({ clock, send, notices }: SessionLinkParts) {
    this.#clock = clock;
    this.#channel = reliableChannel({ clock, send });
    this.#caller = new Caller(attemptRequests, { clock, peer: "The session" });
    this.#caller.attach(this.#channel);
    this.#notify = sender<typeof attemptNotices>(this.#channel);
    receive(this.#channel, agentNotices, notices);
    this.#withdrawSign = clock.after(SIGN_MS, () => this.#sign());
  }

  /**
   * Requests something under a key: what it is, in words that another attempt to request the same would use. Rejects if the
   * session refuses it.
   */
  async request<M extends Method>(
    method: M,
    key: string,
    body: RequestOf<typeof attemptRequests, M>,
    { patient = false }: Pick<CallOptions, "patient"> = {},
  ): Promise<ResponseOf<typeof attemptRequests, M>> {
    const times = (this.#keys.get(`${method} ${key}`) ?? 0) + 1;
    this.#keys.set(`${method} ${key}`, times);
    this.#noteSilence();
    const result = await this.#caller.call(method, body, {
      key: times === 1 ? key : `${key} again ${times}`,
      ...{ patient, replays: Number.POSITIVE_INFINITY },
    });
    if (result.ok) return result.value;
    throw new Error(result.message);
  }

  report(report: FromAgent): void {
    switch (report.type) {
      case "progress":
        // Later ones say nothing that replies and turns do not.
        if (!this.#hasBegun) this.#notify("report", report, { patient: true });
        this.#hasBegun = true;
        return;
      case "text":
      case "thinking":
        if (this.#channel.unreceived < MOST_LATE) this.#notify("report", report);
        return;
      default:
        return; // of no use to another machine
    }
  }

  /** What is requested later is served after it is booked. */
  pay(paid: Paid): void {
    this.#noteSilence();
    this.#notify("paid", paid, { patient: true });
  }

  /** Sends a sentence for the user. */
  remark(sentence: string): void {
    this.#notify("remark", sentence);
  }

  exit(exit: RunnerExit): void {
    this.#noteSilence();
    this.#notify("exit", exit);
  }

  receive(packet: Packet): void {
    this.#channel.receive(packet);
    this.#silentSince = this.#channel.unreceived === 0 ? null : this.#clock.now();
  }

  /** The engine works again. */
  resend(): void {
    this.#channel.resend();
  }

  /** The session has received everything. */
  get isThrough(): boolean {
    return this.#channel.unreceived === 0;
  }

  /** Milliseconds for which the session has not received what was sent. */
  get silentMs(): number {
    return this.#silentSince === null ? 0 : this.#clock.now() - this.#silentSince;
  }

  close(): void {
    this.#withdrawSign();
    this.#channel.close();
    this.#caller.giveUp("The attempt is over");
  }

  #noteSilence(): void {
    this.#silentSince ??= this.#clock.now();
  }

  #sign(): void {
    // A report that has not arrived is a sign, too, though no request waits for it.
    if (this.isThrough) this.#notify("sign", null);
    this.#noteSilence();
    this.#withdrawSign = this.#clock.after(SIGN_MS, () => this.#sign());
  }
}
