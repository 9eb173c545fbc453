import type { MessagePort, Transferable, Worker } from "node:worker_threads";
import { type Frame, isFrame } from "./frames.ts";

/** A connection to another thread or process. Frames arrive in order. */
export interface Channel {
  /** Throws if the frame is not plain data. Does nothing on a closed channel. */
  post(frame: Frame, transfer?: readonly Transferable[]): void;
  onFrame(listener: (frame: Frame) => void): void;
  /** Called once when the other side has gone, or `close` was called, even if before registration. */
  onClose(listener: () => void): void;
  /** Keeps this thread alive while a response is awaited. */
  hold(isAwaited: boolean): void;
  close(): void;
}

export interface ChannelOptions {
  /** Called with what is not a frame; ignored by default. */
  readonly onMalformed?: (raw: unknown) => void;
  /** Keeps its thread or process alive only while it is held. */
  readonly idle?: "released";
}

/** Returns a channel over a port, which it owns. */
export function portChannel(port: MessagePort, { onMalformed, idle }: ChannelOptions = {}): Channel {
  const ends = channelEnds(onMalformed);
  port.on("message", ends.receive);
  port.once("close", ends.close);
  // A closed port cannot be kept alive; its close event may have come before the listener.
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

/** Returns a channel to a thread. It closes when the thread has ended; the caller ends the thread. */
export function workerChannel(worker: Worker): Channel {
  const ends = channelEnds();
  worker.on("message", ends.receive);
  worker.once("exit", ends.close);
  return {
    ...ends,
    post: (frame, transfer = []) => worker.postMessage(frame, transfer),
    hold() {},
  };
}

/** Returns the channel of a child process to the session that started it. */
export function parentChannel(): Channel {
  const ends = channelEnds();
  process.on("message", ends.receive);
  process.once("disconnect", ends.close);
  if (!process.connected) queueMicrotask(ends.close);
  return {
    ...ends,
    // A missing receiver is no error: the close event settles everything.
    post(frame) {
      if (process.connected) process.send?.(frame, undefined, undefined, () => {});
    },
    hold() {},
    close: () => process.disconnect?.(),
  };
}

/** Handles what arrives, for every sort of channel. */
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
