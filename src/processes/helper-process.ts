import { type ChildProcess, fork, type Serializable } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";
import { type Clock, within } from "../mailbox/clock.ts";
import { type Channel, channelEnds } from "../mailbox/rpc/channel.ts";
import { type Frame, isFrame } from "../mailbox/rpc/frames.ts";

const COMPLAINT_CHARS = 2_000;

export interface HelperParts<From> {
  /** The script that it runs. */
  readonly entry: URL;
  readonly env: Readonly<Record<string, string>>;
  /** Further options of its Node. */
  readonly flags?: readonly string[];
  readonly clock: Clock;
  /** What it may say. Who says anything else is killed: nothing of it can be trusted any more. */
  readonly words: z.ZodMiniType<From>;
  hear(message: From): void;
  /** Once, when it has ended and all that it said was heard, or when it could not be started. `how`: why, with its last complaint. */
  onGone(how: string): void;
}

/** One life of a process of ours that works for the session, as the session sees it. Its messages are its only ties. */
export class HelperProcess<From, To extends Serializable> {
  readonly #process: ChildProcess;
  readonly #parts: HelperParts<From>;
  readonly #gone = Promise.withResolvers<void>();
  #complaints = "";
  #alive = true;

  constructor(parts: HelperParts<From>) {
    this.#parts = parts;
    this.#process = forkDetached(parts);
    this.#process.on("message", (message) => this.#receive(message));
    const { stderr } = this.#process;
    stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#complaints = (this.#complaints + text).slice(-COMPLAINT_CHARS);
    });
    // A pipe of a child is a socket, which the types do not say.
    if (stderr !== null && "unref" in stderr && typeof stderr.unref === "function") stderr.unref();
    this.#process.once("error", (error) => this.#bury(error.message));
    this.#process.once("exit", (code, signal) => {
      // What it said last may still be in the channel: an answer, or who must end with it.
      const how = signal ?? `exit code ${code}`;
      if (this.#process.connected) this.#process.once("disconnect", () => this.#bury(how));
      else this.#bury(how);
    });
  }

  /** Undefined: it could not be started. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** False from the moment it is known to be gone. */
  get alive(): boolean {
    return this.#alive;
  }

  /** Whether it keeps the session's process up, as it does until told otherwise. */
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

  /** What cannot be sent needs no care of its own: its end settles everything. */
  send(message: To): void {
    if (this.#process.connected) this.#process.send(message, () => {});
  }

  /**
   * Lets it come to its end, once what is to be done `first` is; after `patienceMs` it is killed. Resolves when it has
   * exited.
   */
  async end(patienceMs: number, first?: Promise<void>): Promise<void> {
    this.hold(true);
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

  #receive(raw: unknown): void {
    const parsed = this.#parts.words.safeParse(raw);
    if (parsed.success) this.#parts.hear(parsed.data);
    else this.kill();
  }

  #bury(how: string): void {
    if (!this.#alive) return;
    this.#alive = false;
    const last = this.#complaints.trim().split("\n").at(-1);
    this.#parts.onGone(last ? `${how}: ${last}` : how);
    this.#gone.resolve();
  }
}

/** A helper process that serves an RPC. */
export type Helper = HelperProcess<Frame, Frame> & { readonly channel: Channel };

/** Its channel closes after `onGone`. */
export function openHelper({
  onGone,
  idle,
  ...parts
}: Pick<HelperParts<Frame>, "entry" | "env" | "flags" | "clock"> & {
  /** It keeps the session's process up only while something is asked of it. */
  readonly idle?: "released";
  onGone(how: string): void | Promise<void>;
}): Helper {
  const ends = channelEnds();
  const helper = new HelperProcess<Frame, Frame>({
    ...{ ...parts, words: z.custom<Frame>(isFrame), hear: ends.receive },
    onGone: (how) => void Promise.resolve(onGone(how)).then(ends.close),
  });
  const channel: Channel = {
    ...ends,
    post: (frame) => helper.send(frame),
    hold: (isAwaited) => idle && helper.hold(isAwaited),
    close: () => helper.kill(),
  };
  return Object.assign(helper, { channel });
}

/** The session's own compiled code serves its helpers, too. */
export function withCompileCache(env: Readonly<Record<string, string>>): Record<string, string> {
  const cache = process.env["NODE_COMPILE_CACHE"];
  return cache === undefined ? { ...env } : { ...env, NODE_COMPILE_CACHE: cache };
}

/** Detached: Ctrl-C at the terminal is the main process's to answer, and must not end a helper under it. */
function forkDetached({
  entry,
  env,
  flags = [],
}: Pick<HelperParts<never>, "entry" | "env" | "flags">): ChildProcess {
  return fork(fileURLToPath(entry), [], {
    env,
    // Every user of the machine can reach an inspector, and a helper knows secrets.
    execArgv: ["--disable-sigusr1", ...flags],
    serialization: "advanced",
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}
