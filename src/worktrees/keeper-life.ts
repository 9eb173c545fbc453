import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Clock, within } from "../mailbox/clock.ts";
import { signalGroup } from "../processes/process-group.ts";
import { FromKeeper, type ToKeeper } from "./protocol.ts";

/** In `dist` all bundles lie in one folder; in development the sources run. */
const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "./keeper-process.ts" : "./worktree-keeper.js",
  import.meta.url,
);
const STDERR_CHARS = 2_000;

/** One life of the keeper's process, as the session sees it. It keeps the session's process up only while it is `held`. */
export class KeeperLife {
  readonly #process: ChildProcess;
  readonly #clock: Clock;
  readonly #hear: (message: FromKeeper) => void;
  readonly #onGone: (how: string) => void;
  readonly #gone = Promise.withResolvers<void>();
  #complaints = "";
  #alive = true;

  constructor(
    env: Readonly<Record<string, string>>,
    clock: Clock,
    { hear, onGone }: { hear(message: FromKeeper): void; onGone(how: string): void },
  ) {
    this.#clock = clock;
    this.#hear = hear;
    this.#onGone = onGone;
    this.#process = forkKeeper(env);
    this.#process.on("message", (message) => this.#receive(message));
    const { stderr } = this.#process;
    stderr?.on("data", (chunk: Buffer) => {
      this.#complaints = (this.#complaints + chunk.toString("utf8")).slice(-STDERR_CHARS);
    });
    // A pipe of a child is a socket, which the types do not say.
    if (stderr !== null && "unref" in stderr && typeof stderr.unref === "function") stderr.unref();
    this.#process.once("error", (error) => this.#bury(error.message));
    this.#process.once("exit", (code, signal) => {
      // What it said last may still be in the channel: an answer to what it has done.
      const how = signal ?? `exit code ${code}`;
      if (this.#process.connected) this.#process.once("disconnect", () => this.#bury(how));
      else this.#bury(how);
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Whether somebody waits for it: then it keeps the session's process up. */
  hold(isAwaited: boolean): void {
    const { channel } = this.#process;
    if (isAwaited) {
      this.#process.ref();
      channel?.ref?.();
    } else {
      this.#process.unref();
      channel?.unref?.();
    }
  }

  /** What cannot be sent needs no care of its own: the keeper's end settles everything. */
  send(message: ToKeeper): void {
    if (this.#process.connected) this.#process.send(message, () => {});
  }

  /** Lets what is under way come to its end; after `patienceMs` it is the keeper that hangs. */
  async end(patienceMs: number): Promise<void> {
    this.hold(true);
    if (this.#process.connected) this.#process.disconnect();
    if (!(await within(this.#clock, patienceMs, this.#gone.promise))) this.kill();
    await this.#gone.promise;
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }

  #receive(raw: unknown): void {
    const parsed = FromKeeper.safeParse(raw);
    if (parsed.success) this.#hear(parsed.data);
    // Not the words of our keeper: nothing it says can be trusted any more.
    else this.kill();
  }

  #bury(how: string): void {
    if (!this.#alive) return;
    this.#alive = false;
    const { pid } = this.#process;
    // TERM, so that a git that goes on without its keeper takes its lock files with it.
    if (pid !== undefined) signalGroup(pid, "SIGTERM");
    const last = this.#complaints.trim().split("\n").at(-1);
    this.#onGone(last ? `${how}: ${last}` : how);
    this.#gone.resolve();
  }
}

/** Detached: Ctrl-C at the terminal is the main process's to answer, and must not end git under it. */
function forkKeeper(env: Readonly<Record<string, string>>): ChildProcess {
  const cache = process.env["NODE_COMPILE_CACHE"];
  return fork(fileURLToPath(ENTRY), [], {
    env: cache === undefined ? { ...env } : { ...env, NODE_COMPILE_CACHE: cache },
    execArgv: [],
    serialization: "advanced",
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}
