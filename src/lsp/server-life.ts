import * as z from "zod/mini";
import { type Clock, pause, within } from "../mailbox/clock.ts";
import { ActorId } from "../mailbox/ids.ts";
import type { Processes, RunInput } from "../processes/processes.ts";
import type { ProcessResult } from "../processes/requests.ts";
import { answerServer, wantsFileChanges } from "./answer-server.ts";
import { type Connection, openConnection, type Reply } from "./connection.ts";
import { Diagnostics } from "./diagnostics.ts";
import { Documents, uriOf } from "./documents.ts";
import type { FileTexts } from "./file-texts.ts";
import { changesBetween, type FileChange, type Files, filesOf } from "./files-of-root.ts";
import { isAsAgreed, type LanguageServer } from "./find-servers.ts";
import { initializeParams } from "./initialize.ts";
import type { Encoding } from "./positions.ts";
import { type Capabilities, Initialized } from "./results.ts";

const START_MS = 60_000;
const REQUEST_MS = 60_000;
/** A project that is read for the first time; answers before that leave things out. */
const FIRST_LOOK_MS = 60_000;
const GOODBYE_MS = 1_000;
/** What others may have written is looked for again after so long. */
const LOOK_AGAIN_MS = 2_000;
/** Requests in a row without an answer; then the server hangs. */
const MOST_LATE = 2;
/** The server has begun anew because a file changed, and wants to be asked again. */
const ASK_AGAIN: readonly (number | null)[] = [-32801, -32802];
const MOST_TRIES = 5;
const AGAIN_MS = 300;

/** Who starts it: its processes are told apart from those of agents by this name. */
const OWNER = ActorId.parse("languageservers");

const Progress = z.object({
  token: z.union([z.string(), z.number()]),
  value: z.object({ kind: z.enum(["begin", "report", "end"]) }),
});

export interface LifePorts {
  readonly processes: Pick<Processes, "run">;
  readonly clock: Clock;
  readonly texts: FileTexts;
  /** Of the program that a server ends with. */
  readonly pid: number;
  newId(): string;
}

export interface Ready {
  readonly type: "ready";
  readonly capabilities: Capabilities;
  readonly encoding: Encoding;
}

/** A clause that says why. */
export interface NotReady {
  readonly type: "not-ready";
  readonly reason: string;
}

/** One life of one server, from its start to its end, however that comes. */
export class ServerLife {
  readonly server: LanguageServer;
  readonly root: string;
  readonly documents: Documents;
  readonly diagnostics: Diagnostics;
  /** Settles when the server can be asked, or cannot. */
  readonly ready: Promise<Ready | NotReady>;
  /** Resolves when its processes are gone. */
  readonly ended: Promise<void>;
  lastUsed: number;
  readonly #ports: LifePorts;
  readonly #connection: Connection;
  readonly #stop = new AbortController();
  /** Resolves to false if there never was a process. */
  readonly #started = Promise.withResolvers<boolean>();
  #pipe: RunInput | null = null;
  #isReady = false;
  /** Why it is over; null: it is not. */
  #over: string | null = null;
  #late = 0;
  readonly #busy = new Set<string | number>();
  #idle = Promise.withResolvers<void>();
  #looked = false;
  /** What the project's files were when they were looked at last; null: nobody wants to know. */
  #files: Promise<Files | null>;
  #wantsChanges = false;
  #lookedAt: number;

  constructor(server: LanguageServer, root: string, ports: LifePorts) {
    this.server = server;
    this.root = root;
    this.#ports = ports;
    const { clock } = ports;
    this.lastUsed = clock.now();
    this.#lookedAt = clock.now();
    this.#connection = openConnection({
      clock,
      send: (bytes) => this.#pipe?.write(bytes),
      onNotification: (method, params) => this.#hear(method, params),
      onRequest: (method, params) => this.#answer(method, params),
      onBroken: (why) => this.end(why),
    });
    this.diagnostics = new Diagnostics(clock);
    this.documents = new Documents(ports.texts, server.endings, (method, params) =>
      this.#connection.notify(method, params),
    );
    this.#files = this.#look();
    this.ended = this.#run();
    this.ready = this.#start();
  }

  /** False from the moment it is known to be over. */
  get isAlive(): boolean {
    return this.#over === null;
  }

  /** Why it is over, as a clause. */
  get why(): string {
    return this.#over ?? "it still runs";
  }

  /** Rejects only when the signal is aborted. */
  async request(method: string, params: unknown, signal: AbortSignal): Promise<Reply> {
    for (let tried = 1; ; tried += 1) {
      const reply = await this.#connection.request(method, params, REQUEST_MS, signal);
      if (reply.type === "late") this.#late += 1;
      else this.#late = 0;
      if (this.#late >= MOST_LATE) this.end("it hangs");
      if (reply.type !== "refused" || !ASK_AGAIN.includes(reply.code) || tried >= MOST_TRIES) return reply;
      await pause(this.#ports.clock, AGAIN_MS, signal);
    }
  }

  /** Waits until the server has read the project for the first time, as far as it says so. */
  async firstLook(signal: AbortSignal): Promise<void> {
    if (this.#looked) return;
    const over = new AbortController();
    const given = pause(this.#ports.clock, FIRST_LOOK_MS, AbortSignal.any([over.signal, signal]));
    while (this.#busy.size > 0 && this.isAlive && !signal.aborted) {
      const idle = this.#idle.promise;
      const isOver = await Promise.race([idle.then(() => false), given.then(() => true)]);
      if (isOver) break;
    }
    over.abort();
    signal.throwIfAborted();
    this.#looked = true;
  }

  /** Tells it what was written since it was told last: files it holds open but the one asked about, and others if it wants to know. */
  async refresh(asked: string): Promise<void> {
    await this.documents.syncOthers(asked);
    const { clock } = this.#ports;
    if (!this.#wantsChanges || clock.now() - this.#lookedAt < LOOK_AGAIN_MS) return;
    this.#lookedAt = clock.now();
    const before = await this.#files;
    const looking = this.#look();
    this.#files = looking;
    const now = await looking;
    if (before !== null && now !== null) this.tellChanges(changesBetween(before, now));
  }

  tellChanges(changes: readonly FileChange[]): void {
    if (changes.length === 0) return;
    this.#connection.notify("workspace/didChangeWatchedFiles", {
      changes: changes.map(({ path, type }) => ({ uri: uriOf(path), type })),
    });
  }

  /** Lets it go: asked to end first, then its processes are ended. Resolves when they are gone. */
  async close(): Promise<void> {
    if (this.isAlive && this.#isReady) {
      const reply = await this.#connection.request("shutdown", undefined, GOODBYE_MS);
      this.#connection.notify("exit", undefined);
      this.#pipe?.close();
      if (reply.type !== "late") await within(this.#ports.clock, GOODBYE_MS, this.ended);
    }
    this.end("it was closed");
    await this.ended;
  }

  /** It is over, for this reason; its processes are ended. */
  end(why: string): void {
    if (this.#over !== null) return;
    this.#over = why;
    this.#idle.resolve();
    this.#connection.close();
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { processes, newId } = this.#ports;
    if (!(await isAsAgreed(this.server))) {
      this.end("its program was changed since the session began, so it is not started");
      this.#started.resolve(false);
      return;
    }
    const { file, args, env } = this.server;
    const result = await processes.run(
      {
        ...{ id: `lsp.${newId()}`, owner: OWNER, file, args: [...args], cwd: this.root, env: { ...env } },
        ...{ timeoutMs: null, maxOutputBytes: 0, piped: true },
      },
      this.#stop.signal,
      {
        input: (input) => {
          this.#pipe = input;
          this.#started.resolve(true);
        },
        bytes: (bytes) => this.#connection.receive(bytes),
      },
    );
    this.#started.resolve(false);
    this.end(endWords(result));
  }

  async #start(): Promise<Ready | NotReady> {
    if (!(await this.#started.promise)) return { type: "not-ready", reason: this.why };
    const params = initializeParams(this.server, this.root, this.#ports.pid);
    const reply = await this.#connection.request("initialize", params, START_MS);
    const ready = this.#readyBy(reply);
    if (ready.type === "not-ready") this.end(ready.reason);
    else {
      this.#isReady = true;
      this.#connection.notify("initialized", {});
      const { settings } = this.server;
      if (Object.keys(settings).length > 0)
        this.#connection.notify("workspace/didChangeConfiguration", { settings });
    }
    return ready;
  }

  #readyBy(reply: Reply): Ready | NotReady {
    switch (reply.type) {
      case "answer": {
        const read = Initialized.safeParse(reply.value);
        if (!read.success)
          return { type: "not-ready", reason: "its answer to initialize is not the protocol" };
        const { capabilities } = read.data;
        const encoding = capabilities.positionEncoding ?? "utf-16";
        if (encoding !== "utf-16" && encoding !== "utf-8" && encoding !== "utf-32")
          return { type: "not-ready", reason: `it counts characters in ${JSON.stringify(encoding)}` };
        return { type: "ready", capabilities, encoding };
      }
      case "refused":
        return { type: "not-ready", reason: `it refused to start (${reply.reason.slice(0, 300)})` };
      case "late":
        return { type: "not-ready", reason: `it was not ready within ${START_MS / 1_000} s` };
      case "gone":
        return { type: "not-ready", reason: this.why };
      default:
        return reply satisfies never;
    }
  }

  #hear(method: string, params: unknown): void {
    if (method === "textDocument/publishDiagnostics") this.diagnostics.take(params);
    if (method !== "$/progress") return;
    const progress = Progress.safeParse(params);
    if (!progress.success) return;
    const { token, value } = progress.data;
    if (value.kind === "begin" && this.#busy.size < MOST_TOKENS) this.#busy.add(token);
    if (value.kind !== "end" || !this.#busy.delete(token) || this.#busy.size > 0) return;
    this.#idle.resolve();
    this.#idle = Promise.withResolvers();
  }

  #answer(method: string, params: unknown): unknown {
    if (wantsFileChanges(method, params)) this.#wantsChanges = true;
    return answerServer(method, params, { root: this.root, settings: this.server.settings });
  }

  #look(): Promise<Files | null> {
    return filesOf(this.root, Object.keys(this.server.endings), this.#stop.signal);
  }
}

/** Things that a server says it works at. */
const MOST_TOKENS = 1_000;

function endWords({ outcome, exitCode, signal, stderr, reason }: ProcessResult): string {
  const last = stderr.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
  const said = last === "" ? "" : `: ${last}`;
  switch (outcome) {
    case "exited":
      return `it ended with exit code ${exitCode}${said}`;
    case "signalled":
      return reason ?? `it was ended by ${signal}${said}`;
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
