import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Clock, pause } from "../mailbox/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import { type BoundedText, boundedText } from "./bounded-text.ts";
import { hostTag, killTagged } from "./host-tag.ts";
import { signalGroup } from "./process-group.ts";
import type { RunWatch } from "./processes.ts";
import { FromHost, type ToHost } from "./protocol.ts";
import type { ProcessRequest, ProcessResult } from "./requests.ts";
import { notStarted, unknown } from "./results.ts";

/** The bundler keeps the entry's name; the sources run as they are. */
const ENTRY = new URL(import.meta.url.endsWith(".ts") ? "./host.ts" : "./process-host.js", import.meta.url);
/** So long after a run's own time is up its result is missed; asked to end it, the host has as long again. */
const OVERDUE_MS = 10_000;
/** A group that ignores TERM costs the host about 3 s; after this it is the host that hangs. */
const END_PATIENCE_MS = 10_000;
const STDERR_BYTES = 4 * 1024;

interface PendingRun {
  readonly request: ProcessRequest;
  readonly watch: RunWatch;
  readonly began: number;
  pid: number | null;
  settle(result: ProcessResult): void;
}

/** One life of one process host, as the main process sees it. */
export class HostConnection {
  readonly #host: ChildProcess;
  readonly #clock: Clock;
  readonly #complaints: BoundedText = boundedText(STDERR_BYTES);
  readonly #runs = new Map<number, PendingRun>();
  readonly #stops = new Map<number, () => void>();
  readonly #gone = Promise.withResolvers<void>();
  #alive = true;
  /** A shell's children can leave their group, and then outlive their run. */
  #ranShell = false;
  #tickets = 0;

  /** `env` is the environment of every child. */
  constructor(env: Readonly<Record<string, string>>, clock: Clock) {
    this.#clock = clock;
    this.#host = forkHost(env);
    this.#host.on("message", (message) => this.#hear(message));
    this.#host.stderr?.on("data", (chunk: Uint8Array) => this.#complaints.add(chunk));
    this.#host.once("error", (error) => this.#bury(error.message));
    this.#host.once("exit", (code, signal) => {
      // What it said last may still be in the channel, and names the children that must end with it.
      const how = signal ?? `exit code ${code}`;
      if (this.#host.connected) this.#host.once("disconnect", () => this.#bury(how));
      else this.#bury(how);
    });
    this.#send({ type: "begin", env: { ...env } });
  }

  /** False from the moment the host is known to be gone. */
  get alive(): boolean {
    return this.#alive;
  }

  /** Never rejects; `unknown` when the host dies first. */
  run(request: ProcessRequest, signal: AbortSignal | undefined, watch: RunWatch): Promise<ProcessResult> {
    const { promise, resolve } = Promise.withResolvers<ProcessResult>();
    const ticket = this.#nextTicket();
    const cancel = () => this.#send({ type: "cancel", ticket });
    const unwatch = this.#watch(request.timeoutMs, cancel);
    const settle = (result: ProcessResult) => {
      unwatch();
      signal?.removeEventListener("abort", cancel);
      this.#runs.delete(ticket);
      resolve(result);
    };
    this.#runs.set(ticket, { request, watch, began: this.#clock.now(), pid: null, settle });
    signal?.addEventListener("abort", cancel, { once: true });
    this.#ranShell ||= request.output !== undefined;
    this.#send({ type: "run", ticket, request });
    return promise;
  }

  /**
   * The host measures a run's time; one that hangs measures nothing, and then it has to go: its end settles every
   * run (D2). Asked first, because a machine that slept has both clocks strike at once.
   */
  #watch(timeoutMs: number | null, cancel: () => void): () => void {
    if (timeoutMs === null) return () => {};
    let withdraw = this.#clock.after(timeoutMs + OVERDUE_MS, () => {
      cancel();
      withdraw = this.#clock.after(OVERDUE_MS, () => this.#host.kill("SIGKILL"));
    });
    return () => withdraw();
  }

  follow(id: string, from: number, words: readonly string[]): void {
    for (const [ticket, { request }] of this.#runs) {
      if (request.id === id) this.#send({ type: "follow", ticket, from, words: [...words] });
    }
  }

  /** Ends what the actor started, or everything; resolves when it is gone, or the host is. */
  stop(owner: ActorId | null): Promise<void> {
    if (!this.#alive) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const ticket = this.#nextTicket();
    this.#stops.set(ticket, resolve);
    this.#send({ type: "stop", ticket, owner });
    return promise;
  }

  /** Ends all children, then the host; resolves when it has exited. */
  async end(): Promise<void> {
    const ended = new AbortController();
    const patience = pause(this.#clock, END_PATIENCE_MS, ended.signal);
    await Promise.race([this.stop(null), patience]);
    if (this.#host.connected) this.#host.disconnect();
    await Promise.race([this.#gone.promise, patience]);
    ended.abort();
    if (this.#alive) this.#host.kill("SIGKILL");
    await this.#gone.promise;
  }

  #nextTicket(): number {
    this.#tickets += 1;
    return this.#tickets;
  }

  /** A message that cannot be sent needs no care of its own: the host's end settles everything. */
  #send(message: ToHost): void {
    this.#host.send(message, () => {});
  }

  #hear(raw: unknown): void {
    const parsed = FromHost.safeParse(raw);
    if (!parsed.success) {
      // Not the words of our host: nothing it says can be trusted any more.
      this.#host.kill("SIGKILL");
      return;
    }
    const message = parsed.data;
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

  #bury(how: string): void {
    if (!this.#alive) return;
    this.#alive = false;
    const last = this.#complaints.take().trim().split("\n").at(-1);
    const reason = `The process host ended (${how}${last ? `: ${last}` : ""}); whether the command did its work is not known.`;
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
    this.#gone.resolve();
  }
}

/** Detached: Ctrl-C at the terminal is the main process's to answer, and must not end the host under it. */
function forkHost(env: Readonly<Record<string, string>>): ChildProcess {
  const { NODE_OPTIONS: _, ...inherited } = env;
  const cache = process.env["NODE_COMPILE_CACHE"];
  const own = cache === undefined ? inherited : { ...inherited, NODE_COMPILE_CACHE: cache };
  return fork(fileURLToPath(ENTRY), [], {
    env: own,
    execArgv: [],
    serialization: "advanced",
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}
