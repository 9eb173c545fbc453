import type { MessagePort, Transferable } from "node:worker_threads";
import type { Scheduler } from "../scheduler.ts";
import { type Frame, isFrame } from "./frames.ts";

/** A way to another thread or process. Frames arrive in the order in which they were posted. */
export interface Channel {
  /** Throws if the frame is not plain data. Posting to a channel that is closed does nothing. */
  post(frame: Frame, transfer?: readonly Transferable[]): void;
  onFrame(listener: (frame: Frame) => void): void;
  /** Called once when the other side is gone, or `close` was called, even if that was before. */
  onClose(listener: () => void): void;
  /** Whether somebody waits for a response, so that this thread must not end. */
  hold(isAwaited: boolean): void;
  close(): void;
}

export interface ChannelOptions {
  /** Something arrived that is not a frame. Default: it is ignored. */
  readonly onMalformed?: (raw: unknown) => void;
  /** The channel keeps its thread or process alive only while it is held. */
  readonly idle?: "released";
}

/** Over a port; it owns the port. */
export function portChannel(port: MessagePort, { onMalformed, idle }: ChannelOptions = {}): Channel {
  const ends = channelEnds(onMalformed);
  port.on("message", ends.receive);
  port.once("close", ends.close);
  // A closed port cannot be kept alive; its close event may have come before anyone listened.
  if (!port.hasRef()) queueMicrotask(ends.close);
  if (idle) port.unref();
  return {
    ...ends,
    post: (frame, transfer = []) => port.postMessage(frame, transfer),
    hold(isAwaited) {
      if (idle === undefined) return;
      if (isAwaited) port.ref();
      else port.unref();
    },
    close: () => port.close(),
  };
}

/** Of a helper process to the session that started it. */
export function parentChannel(): Channel {
  const ends = channelEnds();
  process.on("message", ends.receive);
  process.once("disconnect", ends.close);
  if (!process.connected) queueMicrotask(ends.close);
  return {
    ...ends,
    // Nobody to tell is no fault: the close event settles everything.
    post(frame) {
      if (process.connected) process.send?.(frame, undefined, undefined, () => {});
    },
    hold() {},
    close: () => process.disconnect?.(),
  };
}

/** Two ends within one thread: the same copies as between two, in any order that the scheduler likes. */
export function channelPair(scheduler: Scheduler, name: string): readonly [Channel, Channel] {
  const [a, b] = [channelEnds(), channelEnds()];
  const end = (own: typeof a, other: typeof a, way: string): Channel => ({
    ...own,
    post(frame, transfer = []) {
      const copy = structuredClone(frame, { transfer: [...transfer] });
      scheduler.post(`${name}:${way}`, () => other.receive(copy));
    },
    hold() {},
    close() {
      own.close();
      scheduler.post(`${name}:${way}`, other.close);
    },
  });
  return [end(a, b, "questions"), end(b, a, "answers")];
}

/** What every kind of channel does with what arrives. */
export function channelEnds(onMalformed: (raw: unknown) => void = () => {}) {
  const frames: ((frame: Frame) => void)[] = [];
  const closes: (() => void)[] = [];
  let isClosed = false;
  return {
    receive(raw: unknown) {
      if (isClosed) return;
      if (!isFrame(raw)) return onMalformed(raw);
      for (const listener of frames) listener(raw);
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      for (const listener of closes) listener();
    },
    onFrame: (listener: (frame: Frame) => void) => void frames.push(listener),
    onClose(listener: () => void) {
      if (isClosed) queueMicrotask(listener);
      else closes.push(listener);
    },
  };
}
