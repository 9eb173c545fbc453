import * as z from "zod/mini";
import { type Clock, pause, within } from "../lib/clock.ts";
import { ActorId } from "../mailbox/ids.ts";
import type { Processes, ProcessResult, RunInput } from "../processes/processes.ts";
import { answerServer, initializeParams, wantsFileChanges } from "./client-side.ts";
import { openConnection, type RpcConnection, type RpcReply } from "./connection.ts";
import { Diagnostics } from "./diagnostics.ts";
import { Documents, uriOf } from "./documents.ts";
import { changesBetween, type FileChange, type FileStamps, type FileTexts, listFiles } from "./files.ts";
import { isUnchanged, type LanguageServer } from "./find-servers.ts";
import { type Capabilities, Initialized } from "./results.ts";

const START_MS = 60_000;
const REQUEST_MS = 60_000;
/** For a server to read the project; answers before that are incomplete. */
const FIRST_LOOK_MS = 60_000;
const GOODBYE_MS = 1_000;
/** Between two searches for files that other programs have written. */
const REFRESH_MS = 2_000;
/** Requests in a row without an answer; then the server hangs. */
const MOST_LATE = 2;
/** A file changed while the server worked, and it wants to be asked again. */
const ASK_AGAIN: readonly (number | null)[] = [-32801, -32802];
const MOST_TRIES = 5;
const AGAIN_MS = 300;
const MOST_TOKENS = 1_000;

/** Distinguishes its processes from those of agents. */
const OWNER = ActorId.parse("languageservers");

const Progress = z.object({
  token: z.union([z.string(), z.number()]),
  value: z.object({ kind: z.enum(["begin", "report", "end"]) }),
});

export interface LifePorts {
  readonly processes: Pick<Processes, "run">;
  readonly clock: Clock;
  readonly texts: FileTexts;
  /** Of the program that the server ends with. */
  readonly pid: number;
  newId(): string;
}

export class ServerLife {
  readonly server: LanguageServer;
  readonly root: string;
  readonly documents: Documents;
  readonly diagnostics: Diagnostics;
  /** Resolves when the server can be asked, or with a clause that says why it cannot. */
  readonly ready: Promise<Capabilities | string>;
  readonly ended: Promise<void>;
  lastUsed: number;
  readonly #ports: LifePorts;
  readonly #connection: RpcConnection;
  readonly #stop = new AbortController();
  /** Resolves to false if its process never started. */
  readonly #started = Promise.withResolvers<boolean>();
  #stdin: RunInput | null = null;
  #isReady = false;
  #end: string | null = null;
  #late = 0;
  readonly #busy = new Set<string | number>();
  #idle = Promise.withResolvers<void>();
  #hasLooked = false;
  /** The project's files at the last search; null if there are too many. */
  #files: Promise<FileStamps | null>;
  #wantsChanges = false;
  #refreshedAt: number;

  constructor(server: LanguageServer, root: string, ports: LifePorts) {
    const { clock } = ports;
    this.server = server;
    this.root = root;
    this.#ports = ports;
    this.lastUsed = clock.now();
    this.#refreshedAt = clock.now();
    this.#connection = openConnection({
      clock,
      send: (bytes) => this.#stdin?.write(bytes),
      onNotification: (method, params) => this.#notified(method, params),
      onRequest: (method, params) => {
        if (wantsFileChanges(method, params)) this.#wantsChanges = true;
        return answerServer(method, params, { root, settings: server.settings });
      },
      onBroken: (why) => this.end(why),
    });
    this.diagnostics = new Diagnostics(clock);
    this.documents = new Documents(ports.texts, server.endings, (method, params) =>
      this.#connection.notify(method, params),
    );
    this.#files = this.#listFiles();
    this.ended = this.#run();
    this.ready = this.#start();
  }

  get isAlive(): boolean {
    return this.#end === null;
  }

  get why(): string {
    return this.#end ?? "it still runs";
  }

  /** Rejects only if the signal is aborted. */
  async request(method: string, params: unknown, signal: AbortSignal): Promise<RpcReply> {
    for (let tries = 1; ; tries += 1) {
      const reply = await this.#connection.request(method, params, REQUEST_MS, signal);
      this.#late = reply.type === "late" ? this.#late + 1 : 0;
      if (this.#late >= MOST_LATE) this.end("it hangs");
      if (reply.type !== "refused" || !ASK_AGAIN.includes(reply.code) || tries >= MOST_TRIES) return reply;
      await pause(this.#ports.clock, AGAIN_MS, signal);
    }
  }

  /** Waits until the server has read the project for the first time, if it reports that. */
  async firstLook(signal: AbortSignal): Promise<void> {
    if (this.#hasLooked) return;
    const over = new AbortController();
    const timeUp = pause(this.#ports.clock, FIRST_LOOK_MS, AbortSignal.any([over.signal, signal]));
    while (this.#busy.size > 0 && this.isAlive && !signal.aborted) {
      const isOver = await Promise.race([this.#idle.promise.then(() => false), timeUp.then(() => true)]);
      if (isOver) break;
    }
    over.abort();
    signal.throwIfAborted();
    this.#hasLooked = true;
  }

  /** Reports what was written since the last time: open files other than this one, and others if the server wants them. */
  async refresh(path: string): Promise<void> {
    await this.documents.syncOthers(path);
    const { clock } = this.#ports;
    if (!this.#wantsChanges || clock.now() - this.#refreshedAt < REFRESH_MS) return;
    this.#refreshedAt = clock.now();
    const before = await this.#files;
    this.#files = this.#listFiles();
    const now = await this.#files;
    if (before !== null && now !== null) this.notifyChanges(changesBetween(before, now));
  }

  notifyChanges(changes: readonly FileChange[]): void {
    if (changes.length === 0) return;
    this.#connection.notify("workspace/didChangeWatchedFiles", {
      changes: changes.map(({ path, type }) => ({ uri: uriOf(path), type })),
    });
  }

  /** Asks it to end, then ends its processes; resolves when they are gone. */
  async close(): Promise<void> {
    if (this.isAlive && this.#isReady) {
      const reply = await this.#connection.request("shutdown", undefined, GOODBYE_MS);
      this.#connection.notify("exit", undefined);
      this.#stdin?.close();
      if (reply.type !== "late") await within(this.#ports.clock, GOODBYE_MS, this.ended);
    }
    this.end("it was closed");
    await this.ended;
  }

  end(why: string): void {
    if (this.#end !== null) return;
    this.#end = why;
    this.#idle.resolve();
    this.#connection.close();
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { processes, newId } = this.#ports;
    const { file, args, env } = this.server;
    if (await isUnchanged(this.server)) {
      const result = await processes.run(
        {
          ...{ id: `lsp.${newId()}`, owner: OWNER, file, args: [...args], cwd: this.root, env: { ...env } },
          ...{ timeoutMs: null, maxOutputBytes: 0, piped: true },
        },
        this.#stop.signal,
        {
          input: (stdin) => {
            this.#stdin = stdin;
            this.#started.resolve(true);
          },
          bytes: (bytes) => this.#connection.receive(bytes),
        },
      );
      this.end(endReason(result));
    } else this.end("its program was changed since the session started, so it is not started");
    this.#started.resolve(false);
  }

  async #start(): Promise<Capabilities | string> {
    if (!(await this.#started.promise)) return this.why;
    const params = initializeParams(this.server, this.root, this.#ports.pid);
    const ready = this.#readInitialize(await this.#connection.request("initialize", params, START_MS));
    if (typeof ready === "string") {
      this.end(ready);
      return ready;
    }
    this.#isReady = true;
    this.#connection.notify("initialized", {});
    const { settings } = this.server;
    if (Object.keys(settings).length > 0)
      this.#connection.notify("workspace/didChangeConfiguration", { settings });
    return ready;
  }

  #readInitialize(reply: RpcReply): Capabilities | string {
    switch (reply.type) {
      case "answer": {
        const { data } = Initialized.safeParse(reply.value);
        if (data === undefined) return "its answer to initialize is invalid";
        const { positionEncoding = "utf-16" } = data.capabilities;
        if (positionEncoding !== "utf-16")
          return `it counts characters in ${JSON.stringify(positionEncoding)}`;
        return data.capabilities;
      }
      case "refused":
        return `it refused to start (${reply.reason.slice(0, 300)})`;
      case "late":
        return `it was not ready within ${START_MS / 1_000} s`;
      case "gone":
        return this.why;
      default:
        return reply satisfies never;
    }
  }

  #notified(method: string, params: unknown): void {
    if (method === "textDocument/publishDiagnostics") this.diagnostics.take(params);
    const { data } = Progress.safeParse(method === "$/progress" ? params : null);
    if (data === undefined) return;
    const { token, value } = data;
    if (value.kind === "begin" && this.#busy.size < MOST_TOKENS) this.#busy.add(token);
    if (value.kind !== "end" || !this.#busy.delete(token) || this.#busy.size > 0) return;
    this.#idle.resolve();
    this.#idle = Promise.withResolvers();
  }

  #listFiles(): Promise<FileStamps | null> {
    return listFiles(this.root, Object.keys(this.server.endings), this.#stop.signal);
  }
}

function endReason({ outcome, exitCode, signal, stderr, reason }: ProcessResult): string {
  const line = stderr.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
  const last = line === "" ? "" : `: ${line}`;
  switch (outcome) {
    case "exited":
      return `it ended with exit code ${exitCode}${last}`;
    case "signalled":
      return reason ?? `it was ended by ${signal}${last}`;
    case "cancelled":
    case "timed-out":
      return "it was stopped";
    case "not-started":
    case "unknown":
      return reason ?? "it could not be started";
    default:
      return outcome satisfies never;
  }
}
