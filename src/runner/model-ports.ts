import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { Frame } from "../mailbox/rpc/frames.ts";
import type { ModelFrame } from "./agent-messages.ts";

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
