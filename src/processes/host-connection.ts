import type { Clock } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import type { ActorId } from "../mailbox/ids.ts";
import { Caller } from "../mailbox/rpc/caller.ts";
import type { Failure } from "../mailbox/rpc/frames.ts";
import { sender } from "../mailbox/rpc/server.ts";
import { Door } from "./door.ts";
import { Helper, type SystemUser, withCompileCache } from "./helper-process.ts";
import { hostTag, killTagged } from "./host-tag.ts";
import { signalGroup } from "./process-group.ts";
import {
  cancelledEarly,
  type HOST_NOTICES,
  HOST_REQUESTS,
  notStarted,
  type ProcessRequest,
  type ProcessResult,
  type RunWatch,
  unknown,
} from "./processes.ts";

/** The bundler keeps the entry's name; the sources run as they are. */
const ENTRY = new URL(import.meta.url.endsWith(".ts") ? "./host.ts" : "./process-host.cjs", import.meta.url);
/** Each start of a child copies the page table, so a smaller host starts children faster. */
const SMALL = ["--v8-pool-size=1", "--max-semi-space-size=1"];
/** The grace period after a run's timeout until its result is overdue; a request to end it gets as long again. */
const OVERDUE_MS = 10_000;
/** Ending a group that ignores TERM takes about 3 s; after this time the host hangs. */
const END_PATIENCE_MS = 10_000;
const DEAF = "It was ended, because it did not read what it was sent.";

export class HostConnection {
  readonly #host: Helper;
  readonly #clock: Clock;
  readonly #caller: Caller<typeof HOST_REQUESTS>;
  readonly #notify: ReturnType<typeof sender<typeof HOST_NOTICES>>;
  /** The leaders of the running groups, as far as they are known. */
  readonly #groups = new Set<number>();
  #runs = 0;
  /** Withdraws the watch over the timeout of each run. */
  readonly #unwatch = new Map<string, () => void>();
  /** A shell's children can leave their group, and then outlive their run. */
  #ranShell = false;

  constructor(env: Readonly<Record<string, string>>, clock: Clock, user?: SystemUser) {
    this.#clock = clock;
    this.#host = new Helper({
      ...{ entry: ENTRY, env: withCompileCache(withoutNodeOptions(env)), flags: SMALL, clock, user },
      onGone: (how) => this.#gone(how),
    });
    this.#caller = new Caller(HOST_REQUESTS, {
      ...{ clock, peer: "The process host" },
      onMalformed: () => this.#host.kill(),
    });
    this.#caller.attach(this.#host.channel);
    this.#notify = sender<typeof HOST_NOTICES>(this.#host.channel);
    this.#notify("begin", { env: { ...env } });
  }

  get alive(): boolean {
    return this.#host.alive;
  }

  /** Never rejects; `unknown` if the host dies first. */
  async run(
    request: ProcessRequest,
    signal: AbortSignal | undefined,
    watch: RunWatch,
  ): Promise<ProcessResult> {
    const stop = new AbortController();
    const cancel = () => stop.abort();
    const unwatch = this.#watch(request.timeoutMs, cancel);
    this.#unwatch.set(request.id, unwatch);
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted) cancel();
    this.#ranShell ||= request.output !== undefined;
    this.#runs += 1;
    try {
      if (!request.piped) return await this.#run(request, stop.signal, watch);
      return await this.#runPiped(request, stop, watch);
    } finally {
      this.#runs -= 1;
      this.#unwatch.delete(request.id);
      unwatch();
      signal?.removeEventListener("abort", cancel);
    }
  }

  async #run(
    request: ProcessRequest,
    signal: AbortSignal,
    watch: RunWatch,
    socket?: string,
  ): Promise<ProcessResult> {
    const began = this.#clock.now();
    let group: number | null = null;
    const body = socket === undefined ? { request } : { request, socket };
    const result = await this.#caller.call("run", body, {
      ...{ signal, waitsForCancel: true },
      onEvent: (event) => {
        if (event.type === "lines") return watch.lines?.(event.lines);
        group = event.pid;
        this.#groups.add(group);
        watch.started?.();
      },
    });
    if (group !== null) this.#groups.delete(group);
    return result.ok ? result.value : this.#without(request, result, this.#clock.now() - began);
  }

  /** Its result is returned when all its output was read. */
  async #runPiped(request: ProcessRequest, stop: AbortController, watch: RunWatch): Promise<ProcessResult> {
    try {
      const door = new Door(watch, () => stop.abort());
      await door.open();
      const result = await this.#run(request, stop.signal, watch, door.path);
      await door.close(this.#clock);
      return door.isDeaf ? { ...result, reason: DEAF } : result;
    } catch (error) {
      const why = errorMessage(error);
      return notStarted(
        request.id,
        `${request.file} could not be started: there is no socket to talk with it (${why}).`,
      );
    }
  }

  #without({ id, file }: ProcessRequest, { kind, message }: Failure, ms: number): ProcessResult {
    if (kind === "cancelled") return cancelledEarly(id);
    if (this.#host.pid === undefined)
      return notStarted(id, `${file} was not started: the process host cannot start (${message}).`);
    const how = kind === "gone" ? `ended (${message})` : `failed (${message})`;
    return unknown(id, `The process host ${how}; whether the command did its work is not known.`, ms);
  }

  /**
   * The host measures a run's time; one that hangs does not, and must be killed, which settles every run (D2). It is
   * first asked to end the run, because after a sleep of the machine both clocks expire at the same time.
   */
  #watch(timeoutMs: number | null, cancel: () => void): () => void {
    if (timeoutMs === null) return () => {};
    let withdraw = this.#clock.after(timeoutMs + OVERDUE_MS, () => {
      cancel();
      withdraw = this.#clock.after(OVERDUE_MS, () => this.#host.kill());
    });
    return () => withdraw();
  }

  follow(id: string, from: number, words: readonly string[]): void {
    this.#notify("follow", { id, from, words: [...words] });
  }

  untime(id: string): void {
    this.#unwatch.get(id)?.();
    this.#notify("untime", { id });
  }

  /** Ends what the actor started, or everything; resolves when it has ended, or the host has. */
  async stop(owner: ActorId | null): Promise<void> {
    await this.#caller.call("stop", { owner });
  }

  /** Ends all children, then the host; resolves when it has exited. */
  end(): Promise<void> {
    return this.#host.end(END_PATIENCE_MS, this.stop(null));
  }

  #gone(how: string): void {
    for (const group of this.#groups) signalGroup(group, "SIGKILL");
    if ((this.#runs > 0 || this.#ranShell) && this.#host.pid !== undefined)
      killTagged(hostTag(process.pid, this.#host.pid));
    this.#caller.detach(how);
  }
}

/** NODE_OPTIONS is for the children and must not change how the host runs. */
function withoutNodeOptions({ NODE_OPTIONS: _, ...env }: Readonly<Record<string, string>>) {
  return env;
}
