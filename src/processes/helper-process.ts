import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Clock, within } from "../lib/clock.ts";
import { type Channel, channelEnds } from "../mailbox/rpc/channel.ts";

/** V8 prints a long stack after it has said that there is no memory left. */
const COMPLAINT_CHARS = 8_000;

export interface HelperParts {
  readonly entry: URL;
  readonly env: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly clock: Clock;
  /** It keeps the session's process alive only during a request. */
  readonly idle?: "released";
  /** Whose rights it has, if not this process's. */
  readonly user?: SystemUser | undefined;
  /**
   * Called once, after its last message, or if it could not start; then the channel closes. `how`: its last error;
   * `complaints`: the end of what it wrote to stderr.
   */
  onGone(how: string, complaints: string): void | Promise<void>;
}

/** A user of the machine, as whom only root can start a process. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** A process of Troupe's, as the session sees it. One that sends anything but frames is killed. */
export class Helper {
  readonly channel: Channel;
  readonly #process: ChildProcess;
  readonly #parts: HelperParts;
  readonly #gone = Promise.withResolvers<void>();
  #complaints = "";
  #alive = true;

  constructor(parts: HelperParts) {
    this.#parts = parts;
    this.#process = forkDetached(parts);
    const ends = channelEnds(() => this.kill());
    this.channel = {
      ...ends,
      // A message that cannot be sent needs no handling: the end of the process settles everything.
      post: (frame) => {
        if (this.#process.connected) this.#process.send(frame, () => {});
      },
      hold: (isAwaited) => parts.idle && this.#hold(isAwaited),
      close: () => this.kill(),
    };
    this.#process.on("message", ends.receive);
    const { stderr } = this.#process;
    stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#complaints = (this.#complaints + text).slice(-COMPLAINT_CHARS);
    });
    // A pipe of a child is a socket, which the types do not say.
    if (stderr !== null && "unref" in stderr && typeof stderr.unref === "function") stderr.unref();
    this.#process.once("error", (error) => this.#bury(error.message, ends.close));
    this.#process.once("exit", (code, signal) => {
      // Its last messages may still be in the channel: a response, or which groups must end with it.
      const how = signal ?? `exit code ${code}`;
      if (this.#process.connected) this.#process.once("disconnect", () => this.#bury(how, ends.close));
      else this.#bury(how, ends.close);
    });
  }

  /** Undefined if it could not be started. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Waits for `first`, then lets the process end; kills it after `patienceMs`. Resolves when it has exited. */
  async end(patienceMs: number, first?: Promise<void>): Promise<void> {
    this.#hold(true);
    const quietly = async () => {
      await first;
      if (this.#process.connected) this.#process.disconnect();
      await this.#gone.promise;
    };
    if (!(await within(this.#parts.clock, patienceMs, quietly()))) this.kill();
    await this.#gone.promise;
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }

  /** Sets whether it keeps the session's process alive; it does at first. */
  #hold(isAwaited: boolean): void {
    const { channel } = this.#process;
    if (isAwaited) {
      this.#process.ref();
      channel?.ref?.();
    } else {
      this.#process.unref();
      channel?.unref?.();
    }
  }

  #bury(how: string, close: () => void): void {
    if (!this.#alive) return;
    this.#alive = false;
    const last = this.#complaints.trim().split("\n").at(-1);
    void Promise.resolve(this.#parts.onGone(last ? `${how}: ${last}` : how, this.#complaints)).then(close);
    this.#gone.resolve();
  }
}

export function withCompileCache(env: Readonly<Record<string, string>>): Record<string, string> {
  const cache = process.env["NODE_COMPILE_CACHE"];
  return cache === undefined ? { ...env } : { ...env, NODE_COMPILE_CACHE: cache };
}

/** Detached: the main process handles Ctrl-C at the terminal, which must not end a helper under it. */
function forkDetached({
  entry,
  env,
  flags = [],
  user,
}: Pick<HelperParts, "entry" | "env" | "flags" | "user">): ChildProcess {
  return fork(fileURLToPath(entry), [], {
    ...{ env, ...(user ?? {}) },
    // Every user of the machine can reach an inspector, and a helper knows secrets.
    execArgv: ["--disable-sigusr1", ...flags],
    serialization: "advanced",
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}
