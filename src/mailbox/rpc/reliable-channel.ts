import * as z from "zod/mini";
import type { Clock } from "../../lib/clock.ts";
import { type Channel, channelEnds } from "./channel.ts";
import { type Frame, isFrame } from "./frames.ts";

/** A frame in transit, or only how far the other side's were received. */
export const Packet = z.object({
  /** Numbers this side's frames from 1. */
  n: z.optional(z.number()),
  frame: z.optional(z.custom<Frame>(isFrame)),
  /** The other side's frames up to this one were received. */
  got: z.number(),
});
export type Packet = z.infer<typeof Packet>;

export interface ReliableChannel extends Channel {
  /** What the carrier brought, in any order and any number of times. */
  receive(packet: Packet): void;
  /** Sends what is not known to have arrived immediately, as the carrier works again. */
  resend(): void;
  /** Frames that the other side has not received, as far as is known. */
  readonly unreceived: number;
}

export interface ReliableOptions {
  /** Hands a packet to the carrier, which may lose it. Must not throw. */
  send(packet: Packet): void;
  readonly clock: Pick<Clock, "after">;
}

/** Milliseconds after which frames are sent again; doubled up to the second. */
const RESEND_MS = 2_000;
const LONGEST_RESEND_MS = 30_000;
/** Milliseconds for which an acknowledgement waits for a frame that takes it along. */
const ACKNOWLEDGE_MS = 200;
/** Frames that came too early and are kept; more are sent again anyway. */
const MOST_EARLY = 1_000;

/**
 * Makes an ordered channel out of a carrier that loses, repeats and reorders: frames are numbered, and sent again until
 * the other side has them.
 */
export function reliableChannel({ send, clock }: ReliableOptions): ReliableChannel {
  const ends = channelEnds();
  const unreceived = new Map<number, Frame>();
  const early = new Map<number, Frame>();
  let last = 0;
  let got = 0;
  let isClosed = false;
  let waitMs = RESEND_MS;
  let withdraw = () => {};
  let withdrawAcknowledgement: (() => void) | null = null;

  const noteSent = () => {
    withdrawAcknowledgement?.();
    withdrawAcknowledgement = null;
  };
  const acknowledge = () => {
    noteSent();
    send({ got });
  };
  const transmit = (n: number, frame: Frame) => {
    noteSent();
    send({ n, frame, got });
  };
  const arm = () => {
    withdraw();
    withdraw = () => {};
    if (isClosed || unreceived.size === 0) return;
    withdraw = clock.after(waitMs, () => {
      waitMs = Math.min(waitMs * 2, LONGEST_RESEND_MS);
      resend();
    });
  };
  const resend = () => {
    if (isClosed) return;
    for (const [n, frame] of unreceived) transmit(n, frame);
    arm();
  };
  return {
    onFrame: ends.onFrame,
    onClose: ends.onClose,
    hold() {},
    get unreceived() {
      return unreceived.size;
    },
    post(frame) {
      if (isClosed) return;
      last += 1;
      unreceived.set(last, frame);
      transmit(last, frame);
      if (unreceived.size === 1) arm();
    },
    receive(packet) {
      if (isClosed) return;
      const open = unreceived.size;
      for (const n of unreceived.keys()) if (n <= packet.got) unreceived.delete(n);
      if (unreceived.size < open) {
        waitMs = RESEND_MS;
        arm();
      }
      if (packet.n === undefined || packet.frame === undefined) return;
      if (packet.n > got && early.size < MOST_EARLY) early.set(packet.n, packet.frame);
      const before = got;
      const ready: Frame[] = [];
      for (let next = early.get(got + 1); next !== undefined; next = early.get(got + 1)) {
        got += 1;
        early.delete(got);
        ready.push(next);
      }
      // A frame that came before is acknowledged again: the first acknowledgement may be lost.
      if (packet.n <= before) acknowledge();
      else if (got > before) withdrawAcknowledgement ??= clock.after(ACKNOWLEDGE_MS, acknowledge);
      for (const frame of ready) ends.receive(frame);
    },
    resend() {
      waitMs = RESEND_MS;
      resend();
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      withdraw();
      if (withdrawAcknowledgement !== null) acknowledge();
      unreceived.clear();
      early.clear();
      ends.close();
    },
  };
}
