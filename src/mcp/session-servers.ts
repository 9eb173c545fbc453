import { join } from "node:path";
import { type Clock, pause, within } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { Restarts } from "../lib/restarts.ts";
import { Caller } from "../mailbox/rpc/caller.ts";
import type { EventOf, RequestOf, ResponseOf } from "../mailbox/rpc/table.ts";
import { BrokerClient, brokerEnvironment, serverEnvironment } from "./broker-client.ts";
import type { Elicitation, ElicitationAnswer, McpAnswer, McpAsk, McpEvent, ServerState } from "./mcp.ts";
import { BROKER_REQUESTS, type OfLife, type StateNotice } from "./protocol.ts";
import { defaultMcpLimits, isSameServer, type McpLimits, type McpServer } from "./server.ts";
import { ServerEntry } from "./server-entry.ts";

export interface McpServersParts {
  readonly clock: Clock;
  /** The user's environment; servers get little of it (`serverEnvironment`). */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly roots: readonly string[];
  /** Troupe's own directory: sign-ins are kept in `mcp-sign-ins` below it. */
  readonly home: string;
  readonly ask?: McpAsk | undefined;
  readonly limits?: Partial<McpLimits> | undefined;
  readonly onWarning: (message: string) => void;
  readonly version?: string | undefined;
}

type Requests = typeof BROKER_REQUESTS;
type Answer<Method extends keyof Requests> = Promise<McpAnswer<ResponseOf<Requests, Method>>>;

export interface RequestOptions<Event> {
  readonly signal: AbortSignal;
  readonly onEvent?: (event: Event) => void;
  /** Returns why the request is not made, once the server runs; null if it is. */
  readonly refusal?: () => string | null;
}

/** Added to the time that a server may take; then the broker itself hangs. */
const GRACE_MS = 15_000;
const CLOSING = "The session is closing.";

/** The servers of a session and the broker that runs them: started with the first server, and again when it dies. */
export class SessionServers {
  readonly #parts: McpServersParts;
  readonly #limits: McpLimits;
  readonly #emit: (event: McpEvent) => void;
  /** Also those that have no holder now: their known tools are kept, so that a change is not taken for a new tool. */
  readonly #entries = new Map<string, ServerEntry>();
  readonly #caller: Caller<Requests>;
  readonly #restarts: Restarts;
  /** What shows the page of a sign-in that is in progress, by the server's slug. */
  readonly #signIns = new Map<string, (url: string) => void>();
  #broker: BrokerClient | null = null;
  #closing: Promise<void> | null = null;

  constructor(parts: McpServersParts, emit: (event: McpEvent) => void) {
    this.#parts = parts;
    this.#limits = { ...defaultMcpLimits, ...parts.limits };
    this.#emit = emit;
    this.#caller = new Caller(BROKER_REQUESTS, { clock: parts.clock, peer: "The MCP broker" });
    this.#restarts = new Restarts(parts.clock);
  }

  get entries(): readonly ServerEntry[] {
    return [...this.#entries.values()].filter(({ holders }) => holders > 0);
  }

  find(name: string): ServerEntry | null {
    const { entries } = this;
    const bySlug = entries.find(({ server }) => server.slug === name);
    return bySlug ?? entries.find(({ server }) => server.name === name) ?? null;
  }

  /** Starts those that had no holder (C9). `problems`: a sentence for each that another server of its name keeps out. */
  hold(servers: readonly McpServer[]): {
    readonly held: readonly ServerEntry[];
    readonly problems: string[];
  } {
    const problems: string[] = [];
    const held = servers.flatMap((server) => {
      const known = this.#entries.get(server.slug);
      const isSame = known !== undefined && isSameServer(known.server, server);
      if (known !== undefined && known.holders > 0 && !isSame) {
        problems.push(
          `The MCP server "${server.name}" of ${server.file} is not started: "${known.server.name}" of ${known.server.file} runs and has its name. Rename one of them.`,
        );
        return [];
      }
      const entry = isSame ? known : new ServerEntry(server);
      this.#entries.set(server.slug, entry);
      entry.holders += 1;
      if (entry.holders === 1) this.start(entry);
      return [entry];
    });
    return { held, problems };
  }

  release(entry: ServerEntry): void {
    entry.holders -= 1;
    if (entry.holders > 0) return;
    entry.tools.update([]);
    this.#broker?.notify("stop", { slug: entry.server.slug });
    this.#setState(entry, { type: "stopped" });
  }

  /** Starts a server; one that runs is ended first. */
  start(entry: ServerEntry): void {
    if (this.#closing !== null) return;
    entry.life += 1;
    entry.state = { type: "starting" };
    try {
      this.#broker ??= this.#startBroker();
      this.#broker.notify("start", { server: entry.server, life: entry.life });
    } catch (error) {
      const reason = `The MCP server "${entry.server.name}" is not started: the MCP broker cannot start (${errorMessage(error)}).`;
      this.#setState(entry, { type: "failed", reason });
    }
  }

  async settled(entries: readonly ServerEntry[], ms: number): Promise<void> {
    await within(this.#parts.clock, ms, Promise.all(entries.map((entry) => entry.settled)));
  }

  /** Resolves when it is not starting, when the signal is aborted, or when a start may take no longer. */
  async waitFor(entry: ServerEntry, signal: AbortSignal): Promise<void> {
    const settled = new AbortController();
    void entry.settled.then(() => settled.abort());
    await pause(this.#parts.clock, this.#limits.startMs, AbortSignal.any([signal, settled.signal]));
  }

  /** Waits for a server that is starting. Never rejects. */
  async request<Method extends Exclude<keyof Requests, "signIn" | "signOut">>(
    entry: ServerEntry,
    method: Method,
    body: RequestOf<Requests, Method>,
    { signal, onEvent, refusal }: RequestOptions<EventOf<Requests, Method>>,
  ): Answer<Method> {
    if (entry.state.type === "starting") await this.waitFor(entry, signal);
    const refused = entry.refusal() ?? refusal?.() ?? null;
    if (refused !== null) return { ok: false, message: refused };
    const ms = Math.max(entry.server.callMs ?? this.#limits.callMs, this.#limits.longestCallMs);
    return this.#send(method, body, ms, signal, onEvent);
  }

  async signIn(entry: ServerEntry, show: (url: string) => void, signal: AbortSignal): Answer<"signIn"> {
    const { slug, name } = entry.server;
    if (this.#signIns.has(slug))
      return { ok: false, message: `A sign-in at the MCP server "${name}" is already in progress.` };
    this.#signIns.set(slug, show);
    const answer = await this.#send("signIn", { slug }, this.#limits.signInMs, signal);
    this.#signIns.delete(slug);
    if (answer.ok) await this.restart(entry, signal);
    return answer;
  }

  async signOut(entry: ServerEntry, signal: AbortSignal): Answer<"signOut"> {
    const answer = await this.#send("signOut", { slug: entry.server.slug }, this.#limits.startMs, signal);
    if (answer.ok && answer.value.wasSignedIn) await this.restart(entry, signal);
    return answer;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#caller.giveUp(CLOSING);
    for (const entry of this.entries) entry.state = { type: "stopped" };
    await this.#broker?.close();
  }

  async restart(entry: ServerEntry, signal: AbortSignal): Promise<void> {
    this.start(entry);
    await this.waitFor(entry, signal);
  }

  #startBroker(): BrokerClient {
    const { env, cwd, roots, home, ask, clock, version = "0", onWarning } = this.#parts;
    const broker: BrokerClient = new BrokerClient({
      ...{ env: brokerEnvironment(env), clock },
      requests: {
        elicit: ({ slug, ...question }, { signal }) => this.#elicit(slug, question, signal),
        browser: ({ slug, url }) => this.#show(slug, url),
      },
      notices: {
        state: (notice) => this.#takeState(notice),
        tools: ({ tools, ...of }) => {
          const changes = this.#findLife(of)?.tools.update(tools);
          if (changes !== undefined && Object.values(changes).some((names) => names.length > 0))
            this.#emit({ type: "tools", server: of.slug, ...changes });
        },
        changed: ({ what, ...of }) => {
          if (this.#findLife(of) !== null) this.#emit({ type: what, server: of.slug });
        },
        warning: ({ message }) => onWarning(message),
      },
      onGone: (how) => this.#onBrokerGone(broker, how),
    });
    this.#caller.attach(broker.channel);
    broker.notify("begin", {
      ...{ env: serverEnvironment(env), cwd, roots, limits: this.#limits },
      ...{ signIns: join(home, "mcp-sign-ins"), elicits: ask !== undefined, version },
    });
    return broker;
  }

  /** Starts the broker again, unless it breaks too often. */
  #onBrokerGone(broker: BrokerClient, how: string): void {
    if (this.#broker !== broker || this.#closing !== null) return;
    this.#broker = null;
    const lost = `The MCP broker ended (${how})`;
    this.#caller.detach(`${lost} before the server answered; it is not known whether the call did its work.`);
    const restarts = this.#restarts.again();
    const then = restarts ? "it is started again with its servers" : "too often, so MCP servers stay stopped";
    this.#parts.onWarning(`${lost}; ${then}.`);
    for (const entry of this.entries) {
      if (restarts) this.start(entry);
      else this.#setState(entry, { type: "failed", reason: `${lost}, too often to be started again.` });
    }
  }

  async #send<Method extends keyof Requests>(
    method: Method,
    body: RequestOf<Requests, Method>,
    ms: number,
    signal: AbortSignal,
    onEvent?: (event: EventOf<Requests, Method>) => void,
  ): Answer<Method> {
    if (this.#broker === null || this.#closing !== null) return { ok: false, message: CLOSING };
    const result = await this.#caller.call(method, body, { signal, deadlineMs: ms + GRACE_MS, onEvent });
    return result.ok || result.kind !== "cancelled"
      ? result
      : { ok: false, message: "The call was cancelled." };
  }

  /** The server that a notice is about; null if it was stopped or started again since then. */
  #findLife({ slug, life }: OfLife): ServerEntry | null {
    const entry = this.#entries.get(slug);
    return entry !== undefined && entry.holders > 0 && entry.life === life ? entry : null;
  }

  #takeState({ state, instructions, ...of }: StateNotice): void {
    const entry = this.#findLife(of);
    if (entry === null || this.#closing !== null) return;
    if (state.type === "connected") entry.instructions = instructions;
    this.#setState(entry, state);
  }

  async #elicit(
    slug: string,
    question: Omit<Elicitation, "server">,
    signal: AbortSignal,
  ): Promise<ElicitationAnswer | undefined> {
    const server = this.#entries.get(slug)?.server.name ?? slug;
    try {
      return await this.#parts.ask?.elicit({ server, ...question }, signal);
    } catch (error) {
      if (!signal.aborted)
        this.#parts.onWarning(
          `A question of the MCP server "${server}" could not be asked: ${errorMessage(error)}`,
        );
      return undefined;
    }
  }

  /** Only the user who signs in is shown a page. */
  #show(slug: string, url: string): boolean {
    const show = this.#signIns.get(slug);
    show?.(url);
    return show !== undefined;
  }

  #setState(entry: ServerEntry, state: ServerState): void {
    entry.state = state;
    const isBad = state.type === "failed" || state.type === "needs-auth";
    // Only once, even if several agents need a server that does not start.
    if (isBad && !entry.isReported) this.#parts.onWarning(state.reason);
    entry.isReported = isBad || (entry.isReported && state.type !== "connected");
    this.#emit({ type: "state", server: entry.server.slug, state });
  }
}
