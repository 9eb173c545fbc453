import * as z from "zod/mini";
import type { Clock } from "../../lib/clock.ts";
import { type Channel, channelEnds } from "./channel.ts";
import { type Frame, isFrame } from "./frames.ts";

/** Frames in transit, or only how far the other side's were received. */
export const Packet = z.object({
  /** The number of the first of them: this side's are counted from 1. */
  n: z.number(),
  frames: z.array(z.custom<Frame>(isFrame)),
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
/** The same of a patient frame. */
const PATIENCE_MS = 50;
/** Frames that came too early and are kept; more are sent again anyway. */
const MOST_EARLY = 1_000;

/**
 * Makes an ordered channel out of a carrier that loses, repeats and reorders: frames are numbered, and sent again until
 * the other side has them. Patient ones travel with the next one.
 */
export function reliableChannel({ send, clock }: ReliableOptions): ReliableChannel {
  const ends = channelEnds();
  const unreceived = new Map<number, Frame>();
  const early = new Map<number, Frame>();
  /** The newest ones, which have not been sent yet. */
  let held: Frame[] = [];
  let last = 0;
  let got = 0;
  let isClosed = false;
  let waitMs = RESEND_MS;
  let withdraw = () => {};
  let withdrawAcknowledgement: (() => void) | null = null;
  let withdrawHeld: (() => void) | null = null;

  const transmit = (n: number, frames: Frame[]) => {
    withdrawAcknowledgement?.();
    withdrawAcknowledgement = null;
    send({ n, frames, got });
  };
  /** Sends what is held, and how far the other side's frames were received. */
  const flush = () => {
    withdrawHeld?.();
    withdrawHeld = null;
    const frames = held;
    held = [];
    transmit(last - frames.length + 1, frames);
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
    // Each for itself: together they may be too much for one message.
    for (const [n, frame] of unreceived) if (n <= last - held.length) transmit(n, [frame]);
    if (held.length > 0) flush();
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
      held.push(frame);
      if (unreceived.size === 1) arm();
      if (frame.type === "cancel" || frame.type === "event" || !frame.patient) flush();
      else withdrawHeld ??= clock.after(PATIENCE_MS, flush);
    },
    receive(packet) {
      if (isClosed) return;
      const open = unreceived.size;
      for (const n of unreceived.keys()) if (n <= packet.got) unreceived.delete(n);
      if (unreceived.size < open) {
        waitMs = RESEND_MS;
        arm();
      }
      if (packet.frames.length === 0) return;
      for (const [at, frame] of packet.frames.entries())
        if (packet.n + at > got && early.size < MOST_EARLY) early.set(packet.n + at, frame);
      const before = got;
      const ready: Frame[] = [];
      for (let next = early.get(got + 1); next !== undefined; next = early.get(got + 1)) {
        got += 1;
        early.delete(got);
        ready.push(next);
      }
      // A frame that came before is acknowledged again: the first acknowledgement may be lost.
      if (packet.n <= before) flush();
      else if (got > before) withdrawAcknowledgement ??= clock.after(ACKNOWLEDGE_MS, flush);
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
      if (withdrawAcknowledgement !== null || held.length > 0) flush();
      unreceived.clear();
      early.clear();
      ends.close();
    },
  };
}
