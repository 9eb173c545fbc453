import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, within } from "../lib/clock.ts";
import type { RunInput, RunWatch } from "./processes.ts";

/** Limit of bytes for a child that does not read them; they have no other limit here. */
const MOST_UNREAD = 64 * 1024 * 1024;
/** A process that left the group may hold the connection open forever; do not wait for what it writes later. */
const LINGER_MS = 1_000;

/** The socket of a piped run: its host handles none of the data. Only this user can enter the directory. */
export class Door {
  readonly path: string;
  readonly #folder: string;
  readonly #server: Server;
  readonly #watch: RunWatch;
  readonly #closed = Promise.withResolvers<void>();
  #socket: Socket | null = null;
  #isDeaf = false;
  readonly #onDeaf: () => void;

  /** `onDeaf`: the child does not read and must be ended. */
  constructor(watch: RunWatch, onDeaf: () => void) {
    this.#watch = watch;
    this.#onDeaf = onDeaf;
    this.#folder = mkdtempSync(join(tmpdir(), "troupe-"));
    this.path = process.platform === "win32" ? `\\\\.\\pipe\\${this.#folder}` : join(this.#folder, "s");
    this.#server = createServer((socket) => this.#admit(socket));
  }

  /** True if the child did not read what it was sent. */
  get isDeaf(): boolean {
    return this.#isDeaf;
  }

  /** Rejects if there can be no such socket. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(this.path, () => {
        this.#server.off("error", reject);
        this.#server.on("error", () => {});
        resolve();
      });
    });
  }

  /** Call when the child has ended: resolves when all its output was read. */
  async close(clock: Clock): Promise<void> {
    this.#shut();
    if (this.#socket !== null) await within(clock, LINGER_MS, this.#closed.promise);
    this.#socket?.destroy();
  }

  #admit(socket: Socket): void {
    if (this.#socket !== null) return void socket.destroy();
    this.#socket = socket;
    this.#shut();
    // The child closed its end or died: its result says so.
    socket.on("error", () => {});
    socket.once("close", () => this.#closed.resolve());
    socket.on("data", (bytes) => this.#watch.bytes?.(bytes));
    this.#watch.input?.(this.#inputTo(socket));
  }

  #inputTo(socket: Socket): RunInput {
    return {
      write: (bytes) => {
        if (socket.destroyed || socket.writableEnded || this.#isDeaf) return;
        if (socket.writableLength + bytes.length <= MOST_UNREAD) return void socket.write(bytes);
        this.#isDeaf = true;
        this.#onDeaf();
      },
      close: () => void socket.end(),
    };
  }

  #shut(): void {
    this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
