import { join } from "node:path";
import { errorMessage } from "../lib/errors.ts";
import { type Clock, within } from "../mailbox/clock.ts";
import { Restarts } from "../mailbox/restarts.ts";
import { Caller } from "../mailbox/rpc/caller.ts";
import type { RequestOf } from "../mailbox/rpc/table.ts";
import { BrokerClient } from "./broker-client.ts";
import type { McpLimits } from "./limits.ts";
import type { ElicitationAnswer, McpAsk, McpEvent, ServerState } from "./mcp.ts";
import {
  BROKER_REQUESTS,
  type McpRequest,
  type Outcome,
  type Progress,
  type SESSION_REQUESTS,
  type Told,
} from "./protocol.ts";
import { isSameServer, type McpServer } from "./server.ts";
import { ServerEntry } from "./server-entry.ts";
import { brokerEnvironment, serverEnvironment } from "./server-environment.ts";

/** What servers are started with. */
export interface ServersParts {
  readonly clock: Clock;
  /** The person's environment; servers get little of it (`serverEnvironment`). */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where stdio servers stand. */
  readonly cwd: string;
  /** What servers are told of the folders that are worked in. */
  readonly roots: readonly string[];
  /** Troupe's own: sign-ins are kept in `mcp-sign-ins` below it. */
  readonly home: string;
  /** Absent: servers are told that nobody can be asked. */
  readonly ask?: McpAsk | undefined;
  readonly onWarning: (message: string) => void;
  /** What servers are told of us. */
  readonly version?: string | undefined;
}

export interface AskOptions {
  readonly onProgress?: (said: Progress) => void;
  /** Why it is not asked after all, judged when the server is there; null: it is. */
  readonly refused?: () => string | null;
}

/** Added to what a server may take, before it is the broker that hangs. */
const GRACE_MS = 15_000;
const CLOSING = "The session is closing.";

/** The servers of a session and the broker that runs them: started at the first server, again when it dies. */
export class SessionServers {
  readonly #parts: ServersParts;
  readonly #limits: McpLimits;
  readonly #clock: Clock;
  readonly #entries = new Map<string, ServerEntry>();
  /** Those that nobody holds at the moment: what they were is not forgotten, or a change would pass for something new. */
  readonly #left = new Map<string, ServerEntry>();
  readonly #broker: Caller<typeof BROKER_REQUESTS>;
  readonly #restarts: Restarts;
  /** Who shows the page of a sign-in that is under way, by the server's slug. */
  readonly #signIns = new Map<string, (url: string) => void>();
  readonly #emit: (event: McpEvent) => void;
  #life: BrokerClient | null = null;
  #closing: Promise<void> | null = null;

  constructor(parts: ServersParts, limits: McpLimits, emit: (event: McpEvent) => void) {
    this.#parts = parts;
    this.#limits = limits;
    this.#clock = parts.clock;
    this.#broker = new Caller(BROKER_REQUESTS, {
      ...{ clock: parts.clock, peer: "The MCP broker" },
      onMalformed: () => this.#life?.kill(),
    });
    this.#restarts = new Restarts(parts.clock);
    this.#emit = emit;
  }

  get entries(): readonly ServerEntry[] {
    return [...this.#entries.values()];
  }

  /** By what the person calls it, or by what stands in the names of its tools. */
  named(name: string): ServerEntry | null {
    return this.#entries.get(name) ?? this.entries.find(({ server }) => server.name === name) ?? null;
  }

  /** Starts those that nobody held before (C9). */
  hold(servers: readonly McpServer[]): readonly ServerEntry[] {
    return servers.flatMap((server) => {
      const there = this.#entries.get(server.slug);
      if (there !== undefined && !isSameServer(there.server, server)) {
        this.#parts.onWarning(
          `The MCP server "${server.name}" of ${server.file} is not started, because "${there.server.name}" of ${there.server.file} has its place. Give one of them another name.`,
        );
        return [];
      }
      const entry = there ?? this.#again(server) ?? new ServerEntry(server);
      entry.holders += 1;
      if (there !== undefined) return [entry];
      entry.life += 1;
      this.#entries.set(server.slug, entry);
      this.start(entry);
      return [entry];
    });
  }

  #again(server: McpServer): ServerEntry | null {
    const left = this.#left.get(server.slug);
    return left !== undefined && isSameServer(left.server, server) ? left : null;
  }

  /** Stops it where nobody holds it any more. */
  release(entry: ServerEntry): void {
    const { slug } = entry.server;
    entry.holders -= 1;
    if (entry.holders > 0 || this.#entries.get(slug) !== entry) return;
    this.#entries.delete(slug);
    this.#left.set(slug, entry);
    entry.tools.take([]);
    this.#life?.tell("stop", { slug });
    this.#change(entry, { type: "stopped" });
  }

  start(entry: ServerEntry): void {
    if (this.#closing !== null) return;
    entry.state = { type: "starting" };
    try {
      this.#life ??= this.#begin();
      this.#life.tell("start", { server: entry.server, life: entry.life });
    } catch (error) {
      const why = errorMessage(error);
      const reason = `The MCP server "${entry.server.name}" is not started: the MCP broker cannot start (${why}).`;
      this.#change(entry, { type: "failed", reason });
    }
  }

  /** The same for one that runs: it is ended first. */
  restart(entry: ServerEntry): void {
    const { type } = entry.state;
    if (type === "stopped" || this.#closing !== null) return;
    if (type === "failed" || type === "needs-auth") {
      this.start(entry);
      return;
    }
    entry.state = { type: "starting" };
    this.#life?.tell("restart", { slug: entry.server.slug });
  }

  /** Resolves when none of them is starting any more, or after `ms`. */
  async settled(entries: readonly ServerEntry[], ms: number): Promise<void> {
    await within(this.#clock, ms, Promise.all(entries.map((entry) => entry.settled())));
  }

  /** Waits for a server that is just starting. Never rejects. */
  async ask(
    entry: ServerEntry,
    wish: Exclude<McpRequest, { type: "sign-in" | "sign-out" }>,
    signal: AbortSignal,
    { onProgress, refused = () => null }: AskOptions = {},
  ): Promise<Outcome> {
    if (entry.state.type === "starting") await this.waitFor(entry, signal);
    const why = entry.whyNot() ?? refused();
    if (why !== null) return { type: "failed", message: why };
    const quietMs = entry.server.callMs ?? this.#limits.callMs;
    const ms = Math.max(quietMs, this.#limits.longestCallMs);
    return this.#send(entry, wish, ms, signal, onProgress);
  }

  async signIn(entry: ServerEntry, show: (url: string) => void, signal: AbortSignal): Promise<Outcome> {
    const { slug, name } = entry.server;
    if (this.#signIns.has(slug))
      return { type: "failed", message: `Somebody is signing in at the MCP server "${name}" already.` };
    this.#signIns.set(slug, show);
    try {
      const outcome = await this.#send(entry, { type: "sign-in" }, this.#limits.signInMs, signal);
      // The broker connects it now, and says how that goes.
      if (outcome.type === "signed-in") await this.waitFor(entry, signal);
      return outcome;
    } finally {
      this.#signIns.delete(slug);
    }
  }

  async signOut(entry: ServerEntry, signal: AbortSignal): Promise<Outcome> {
    const outcome = await this.#send(entry, { type: "sign-out" }, this.#limits.startMs, signal);
    if (outcome.type !== "signed-out" || !outcome.was) return outcome;
    // What it was connected with counts no more.
    this.restart(entry);
    await this.waitFor(entry, signal);
    return outcome;
  }

  /** Ends every server with all it started, then the broker. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#broker.giveUp(CLOSING);
    for (const entry of this.entries) entry.state = { type: "stopped" };
    await this.#life?.end();
  }

  #begin(): BrokerClient {
    const { env, cwd, roots, home, ask, version = "0" } = this.#parts;
    const life: BrokerClient = new BrokerClient(brokerEnvironment(env), this.#clock, {
      requests: {
        elicit: (asks, { signal }) => this.#elicit(asks, signal),
        browser: ({ slug, url }) => this.#show(slug, url),
      },
      notices: {
        state: (said) => this.#state(said),
        tools: (said) => this.#tools(said),
        changed: (said) => {
          if (this.#at(said) !== null) this.#emit({ type: said.what, server: said.slug });
        },
        warning: ({ message }) => this.#parts.onWarning(message),
      },
      onGone: (how) => this.#gone(life, how),
    });
    this.#broker.attach(life.channel);
    life.tell("begin", {
      ...{ env: serverEnvironment(env), cwd, roots: [...roots], limits: this.#limits },
      ...{ signIns: join(home, "mcp-sign-ins"), elicits: ask !== undefined, version },
    });
    return life;
  }

  /** A permanent part: started again, unless it breaks too often. */
  #gone(life: BrokerClient, how: string): void {
    if (this.#life !== life || this.#closing !== null) return;
    this.#life = null;
    const lost = `The MCP broker ended (${how})`;
    this.#broker.detach(`${lost} before the server answered; whether the call did its work is not known.`);
    const again = this.#restarts.again();
    const then = again ? "it is started again with its servers" : "too often, so MCP servers are left alone";
    this.#parts.onWarning(`${lost}; ${then}.`);
    for (const entry of this.entries) {
      if (again) this.start(entry);
      else this.#change(entry, { type: "failed", reason: `${lost}, too often to be started again.` });
    }
  }

  /** Resolves when it is no longer starting, with the signal, or when a start may take no longer. */
  async waitFor(entry: ServerEntry, signal: AbortSignal): Promise<void> {
    const stopped = Promise.withResolvers<void>();
    const stop = () => stopped.resolve();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    await within(this.#clock, this.#limits.startMs, Promise.race([entry.settled(), stopped.promise]));
    signal.removeEventListener("abort", stop);
  }

  async #send(
    { server: { slug } }: ServerEntry,
    wish: McpRequest,
    ms: number,
    signal: AbortSignal,
    onEvent?: (said: Progress) => void,
  ): Promise<Outcome> {
    if (this.#life === null || this.#closing !== null) return { type: "failed", message: CLOSING };
    const limits = { signal, deadlineMs: ms + GRACE_MS, onEvent };
    const result = await this.#broker.call("carryOut", { slug, wish }, limits);
    if (result.ok) return result.value;
    const message = result.kind === "cancelled" ? "The call was cancelled." : result.message;
    return { type: "failed", message };
  }

  /** The server that a message is about; null where it was told to end meanwhile. */
  #at({ slug, life }: { readonly slug: string; readonly life: number }): ServerEntry | null {
    const entry = this.#entries.get(slug);
    return entry?.life === life ? entry : null;
  }

  #state({ state, instructions, ...of }: Told<"state">): void {
    const entry = this.#at(of);
    if (entry === null || this.#closing !== null) return;
    if (state.type === "connected") entry.instructions = instructions;
    this.#change(entry, state);
  }

  #tools({ tools, ...of }: Told<"tools">): void {
    const changes = this.#at(of)?.tools.take(tools);
    if (changes === undefined || Object.values(changes).every((names) => names.length === 0)) return;
    this.#emit({ type: "tools", server: of.slug, ...changes });
  }

  /** Undefined where there is no answer, which counts as no. */
  async #elicit(
    { slug, message, schema }: RequestOf<typeof SESSION_REQUESTS, "elicit">,
    signal: AbortSignal,
  ): Promise<ElicitationAnswer | undefined> {
    const server = this.#entries.get(slug)?.server.name ?? slug;
    try {
      return await this.#parts.ask?.elicit({ server, message, schema }, signal);
    } catch (error) {
      if (!signal.aborted)
        this.#parts.onWarning(
          `A question of the MCP server "${server}" could not be asked: ${errorMessage(error)}`,
        );
      return undefined;
    }
  }

  /** Nobody else has a page shown than who signs in. */
  #show(slug: string, url: string): boolean {
    const show = this.#signIns.get(slug);
    show?.(url);
    return show !== undefined;
  }

  #change(entry: ServerEntry, state: ServerState): void {
    entry.state = state;
    const isBad = state.type === "failed" || state.type === "needs-auth";
    // Once, also where agents one after the other need a server that does not start.
    if (isBad && !entry.told) this.#parts.onWarning(state.reason);
    entry.told = isBad || (entry.told && state.type !== "connected");
    this.#emit({ type: "state", server: entry.server.slug, state });
  }
}
