import { errorMessage } from "../lib/errors.ts";
import type { Clock } from "../mailbox/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import { Door } from "./door.ts";
import { HelperProcess, withCompileCache } from "./helper-process.ts";
import { hostTag, killTagged } from "./host-tag.ts";
import { signalGroup } from "./process-group.ts";
import type { RunWatch } from "./processes.ts";
import { FromHost, type ToHost } from "./protocol.ts";
import type { ProcessRequest, ProcessResult } from "./requests.ts";
import { cancelledEarly, notStarted, unknown } from "./results.ts";

/** The bundler keeps the entry's name; the sources run as they are. */
const ENTRY = new URL(import.meta.url.endsWith(".ts") ? "./host.ts" : "./process-host.js", import.meta.url);
/** So long after a run's own time is up its result is missed; asked to end it, the host has as long again. */
const OVERDUE_MS = 10_000;
/** A group that ignores TERM costs the host about 3 s; after this it is the host that hangs. */
const END_PATIENCE_MS = 10_000;
const DEAF = "It was ended, because it did not read what it was sent.";

interface PendingRun {
  readonly request: ProcessRequest;
  readonly watch: RunWatch;
  readonly began: number;
  pid: number | null;
  settle: (result: ProcessResult) => void;
}

/** One life of one process host, as the main process sees it. */
export class HostConnection {
  readonly #host: HelperProcess<FromHost, ToHost>;
  readonly #clock: Clock;
  readonly #runs = new Map<number, PendingRun>();
  readonly #stops = new Map<number, () => void>();
  /** A shell's children can leave their group, and then outlive their run. */
  #ranShell = false;
  #tickets = 0;

  /** `env` is the environment of every child. */
  constructor(env: Readonly<Record<string, string>>, clock: Clock) {
    this.#clock = clock;
    this.#host = new HelperProcess({
      ...{ entry: ENTRY, env: withCompileCache(withoutNodeOptions(env)), clock, words: FromHost },
      hear: (message) => this.#hear(message),
      onGone: (how) => this.#settleAll(how),
    });
    this.#host.send({ type: "begin", env: { ...env } });
  }

  /** False from the moment the host is known to be gone. */
  get alive(): boolean {
    return this.#host.alive;
  }

  /** Never rejects; `unknown` when the host dies first. */
  run(request: ProcessRequest, signal: AbortSignal | undefined, watch: RunWatch): Promise<ProcessResult> {
    const { promise, resolve } = Promise.withResolvers<ProcessResult>();
    const ticket = this.#nextTicket();
    const cancel = () => this.#host.send({ type: "cancel", ticket });
    const unwatch = this.#watch(request.timeoutMs, cancel);
    const settle = (result: ProcessResult) => {
      unwatch();
      signal?.removeEventListener("abort", cancel);
      this.#runs.delete(ticket);
      resolve(result);
    };
    const pending: PendingRun = { request, watch, began: this.#clock.now(), pid: null, settle };
    this.#runs.set(ticket, pending);
    signal?.addEventListener("abort", cancel, { once: true });
    this.#ranShell ||= request.output !== undefined;
    if (request.piped) void this.#runPiped(ticket, pending, signal);
    else this.#host.send({ type: "run", ticket, request });
    return promise;
  }

  /** Its result is told when all that it wrote was read. */
  async #runPiped(ticket: number, pending: PendingRun, signal: AbortSignal | undefined): Promise<void> {
    const { request, settle } = pending;
    try {
      const door = new Door(pending.watch, () => this.#host.send({ type: "cancel", ticket }));
      pending.settle = (result) =>
        void door.close(this.#clock).then(() => settle(door.isDeaf ? { ...result, reason: DEAF } : result));
      await door.open();
      if (signal?.aborted) pending.settle(cancelledEarly(request.id));
      else this.#host.send({ type: "run", ticket, request, socket: door.path });
    } catch (error) {
      const why = errorMessage(error);
      settle(
        notStarted(
          request.id,
          `${request.file} could not be started: there is no socket to talk with it (${why}).`,
        ),
      );
    }
  }

  /**
   * The host measures a run's time; one that hangs measures nothing, and then it has to go: its end settles every
   * run (D2). Asked first, because a machine that slept has both clocks strike at once.
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
    for (const [ticket, { request }] of this.#runs) {
      if (request.id === id) this.#host.send({ type: "follow", ticket, from, words: [...words] });
    }
  }

  /** Ends what the actor started, or everything; resolves when it is gone, or the host is. */
  stop(owner: ActorId | null): Promise<void> {
    if (!this.alive) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const ticket = this.#nextTicket();
    this.#stops.set(ticket, resolve);
    this.#host.send({ type: "stop", ticket, owner });
    return promise;
  }

  /** Ends all children, then the host; resolves when it has exited. */
  end(): Promise<void> {
    return this.#host.end(END_PATIENCE_MS, this.stop(null));
  }

  #nextTicket(): number {
    this.#tickets += 1;
    return this.#tickets;
  }

  #hear(message: FromHost): void {
    switch (message.type) {
      case "started": {
        const run = this.#runs.get(message.ticket);
        if (!run) return;
        run.pid = message.pid;
        run.watch.started?.();
        return;
      }
      case "lines":
        this.#runs.get(message.ticket)?.watch.lines?.(message.lines);
        return;
      case "result":
        this.#runs.get(message.ticket)?.settle(message.result);
        return;
      case "stopped":
        this.#stops.get(message.ticket)?.();
        this.#stops.delete(message.ticket);
        return;
      default:
        message satisfies never;
    }
  }

  #settleAll(how: string): void {
    const reason = `The process host ended (${how}); whether the command did its work is not known.`;
    const unsettled = [...this.#runs.values()];
    for (const { request, began, pid, settle } of unsettled) {
      // A host that was killed could not end its children.
      if (pid !== null) signalGroup(pid, "SIGKILL");
      if (this.#host.pid !== undefined) settle(unknown(request.id, reason, this.#clock.now() - began));
      else
        settle(
          notStarted(request.id, `${request.file} was not started: the process host cannot start (${how}).`),
        );
    }
    if ((unsettled.length > 0 || this.#ranShell) && this.#host.pid !== undefined)
      killTagged(hostTag(process.pid, this.#host.pid));
    for (const stopped of this.#stops.values()) stopped();
    this.#stops.clear();
  }
}

/** Meant for the children: whoever starts it has no say in how a host of ours runs. */
function withoutNodeOptions({ NODE_OPTIONS: _, ...env }: Readonly<Record<string, string>>) {
  return env;
}
