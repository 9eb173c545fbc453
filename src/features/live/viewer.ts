import type { Socket } from "node:net";
import { changesBetween } from "./live-tree.ts";
import type { FromSession, LiveAgent } from "./protocol.ts";

/** A viewer has nothing to say; whoever says more than this is none. */
const MAX_HEARD_BYTES = 1024;
/** Milliseconds without a line after which the viewer is told that nothing has changed. */
const SILENCE_MS = 1_000;
/** Milliseconds for which one may leave what it was told unread. */
const PATIENCE_MS = 10_000;

/**
 * Somebody who looks at the session. It is told nothing more until it has read what it was told: the next line
 * then says all that changed meanwhile, so that a slow one costs one line of memory, and is dropped in the end.
 */
export class Viewer {
  readonly #socket: Socket;
  #told: readonly LiveAgent[] | null = null;
  #toldCost = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  #heard = 0;

  constructor(socket: Socket, onGone: () => void) {
    this.#socket = socket;
    socket.on("data", (bytes) => {
      this.#heard += bytes.length;
      if (this.#heard > MAX_HEARD_BYTES) socket.destroy();
    });
    // A viewer that breaks off is nobody's trouble: "close" follows, and it is forgotten.
    socket.on("error", () => {});
    socket.once("close", onGone);
    // Whoever looks must not keep the session's process alive.
    socket.unref();
  }

  tell(message: FromSession): void {
    this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  /** Tells what is new, if it has read what it was told before. */
  show(agents: readonly LiveAgent[], now: number, costUsd: number): void {
    if (this.#socket.writableNeedDrain) {
      if (now - this.#toldAt > PATIENCE_MS) this.#socket.destroy();
      return;
    }
    const changes = this.#told === null ? null : changesBetween(this.#told, agents);
    if (changes === null) this.tell({ type: "tree", now, costUsd, agents: [...agents] });
    else if (changes.length > 0 || costUsd !== this.#toldCost || now - this.#toldAt >= SILENCE_MS)
      this.tell({ type: "change", now, costUsd, agents: [...changes] });
    else return;
    this.#told = agents;
    this.#toldCost = costUsd;
    this.#toldAt = now;
  }

  end(): void {
    this.#socket.end(`${JSON.stringify({ type: "end" } satisfies FromSession)}\n`);
  }

  drop(): void {
    this.#socket.destroy();
  }
}
