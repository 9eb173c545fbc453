import { join } from "node:path";
import { errorMessage } from "../lib/errors.ts";
import { type Clock, within } from "../mailbox/clock.ts";
import { Restarts } from "../mailbox/restarts.ts";
import { BrokerLife } from "./broker-life.ts";
import type { McpLimits } from "./limits.ts";
import type { McpAsk, McpEvent, ServerState } from "./mcp.ts";
import { PersonQuestions } from "./person-questions.ts";
import type { FromBroker, Outcome, Wish } from "./protocol.ts";
import { isSameServer, type McpServer } from "./server.ts";
import { ServerEntry } from "./server-entry.ts";
import { brokerEnvironment, serverEnvironment } from "./server-environment.ts";
import { type Progress, Tickets } from "./tickets.ts";

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
const CLOSING: Outcome = { type: "failed", message: "The session is closing." };

/** The servers of a session and the broker that runs them: started at the first server, again when it dies. */
export class SessionServers {
  readonly #parts: ServersParts;
  readonly #limits: McpLimits;
  readonly #clock: Clock;
  readonly #entries = new Map<string, ServerEntry>();
  /** Those that nobody holds at the moment: what they were is not forgotten, or a change would pass for something new. */
  readonly #left = new Map<string, ServerEntry>();
  readonly #tickets: Tickets;
  readonly #restarts: Restarts;
  readonly #questions: PersonQuestions;
  /** Who shows the page of a sign-in that is under way, by the server's slug. */
  readonly #signIns = new Map<string, (url: string) => void>();
  readonly #emit: (event: McpEvent) => void;
  #life: BrokerLife | null = null;
  #closing: Promise<void> | null = null;

  constructor(parts: ServersParts, limits: McpLimits, emit: (event: McpEvent) => void) {
    this.#parts = parts;
    this.#limits = limits;
    this.#clock = parts.clock;
    this.#tickets = new Tickets(parts.clock);
    this.#restarts = new Restarts(parts.clock);
    this.#questions = new PersonQuestions(parts.ask, parts.onWarning);
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
    this.#life?.send({ type: "stop", slug });
    this.#change(entry, { type: "stopped" });
  }

  start(entry: ServerEntry): void {
    if (this.#closing !== null) return;
    entry.state = { type: "starting" };
    try {
      this.#life ??= this.#begin();
      this.#life.send({ type: "start", server: entry.server, life: entry.life });
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
    this.#life?.send({ type: "restart", slug: entry.server.slug });
  }

  /** Resolves when none of them is starting any more, or after `ms`. */
  async settled(entries: readonly ServerEntry[], ms: number): Promise<void> {
    await within(this.#clock, ms, Promise.all(entries.map((entry) => entry.settled())));
  }

  /** Waits for a server that is just starting. Never rejects. */
  async ask(
    entry: ServerEntry,
    wish: Exclude<Wish, { type: "sign-in" | "sign-out" }>,
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
    this.#tickets.settleAll(CLOSING);
    this.#questions.withdrawAll();
    for (const entry of this.entries) entry.state = { type: "stopped" };
    await this.#life?.end();
  }

  #begin(): BrokerLife {
    const { env, cwd, roots, home, ask, version = "0" } = this.#parts;
    const life = new BrokerLife(brokerEnvironment(env), this.#clock, {
      hear: (message) => this.#hear(message),
      onGone: (how) => this.#gone(life, how),
    });
    life.send({
      ...{ type: "begin", env: serverEnvironment(env), cwd, roots: [...roots], limits: this.#limits },
      ...{ signIns: join(home, "mcp-sign-ins"), elicits: ask !== undefined, version },
    });
    return life;
  }

  /** A permanent part: started again, unless it breaks too often. */
  #gone(life: BrokerLife, how: string): void {
    if (this.#life !== life || this.#closing !== null) return;
    this.#life = null;
    const lost = `The MCP broker ended (${how})`;
    const unknown = `${lost} before the server answered; whether the call did its work is not known.`;
    this.#tickets.settleAll({ type: "failed", message: unknown });
    this.#questions.withdrawAll();
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

  #send(
    entry: ServerEntry,
    wish: Wish,
    ms: number,
    signal: AbortSignal,
    onProgress?: (said: Progress) => void,
  ): Promise<Outcome> {
    const life = this.#life;
    if (life === null || this.#closing !== null) return Promise.resolve(CLOSING);
    const { slug } = entry.server;
    const { number, outcome } = this.#tickets.take(ms + GRACE_MS, signal, {
      cancel: (ticket) => life.send({ type: "cancel", ticket }),
      onProgress,
    });
    life.send({ type: "request", ticket: number, slug, wish });
    return outcome;
  }

  #hear(message: FromBroker): void {
    switch (message.type) {
      case "state":
        this.#state(message);
        return;
      case "tools":
        this.#tools(message);
        return;
      case "changed":
        if (this.#at(message) !== null) this.#emit({ type: message.what, server: message.slug });
        return;
      case "progress":
        this.#tickets.progress(message.ticket, message);
        return;
      case "outcome":
        this.#tickets.settle(message.ticket, message.outcome);
        return;
      case "question":
        this.#question(message);
        return;
      case "withdrawn":
        this.#questions.withdraw(message.question);
        return;
      case "warning":
        this.#parts.onWarning(message.message);
        return;
      case "process":
        // Its life keeps that in mind.
        return;
      default:
        message satisfies never;
    }
  }

  /** The server that a message is about; null where it was told to end meanwhile. */
  #at({ slug, life }: { readonly slug: string; readonly life: number }): ServerEntry | null {
    const entry = this.#entries.get(slug);
    return entry?.life === life ? entry : null;
  }

  #state({ state, instructions, ...of }: Extract<FromBroker, { type: "state" }>): void {
    const entry = this.#at(of);
    if (entry === null || this.#closing !== null) return;
    if (state.type === "connected") entry.instructions = instructions;
    this.#change(entry, state);
  }

  #tools({ tools, ...of }: Extract<FromBroker, { type: "tools" }>): void {
    const changes = this.#at(of)?.tools.take(tools);
    if (changes === undefined || Object.values(changes).every((names) => names.length === 0)) return;
    this.#emit({ type: "tools", server: of.slug, ...changes });
  }

  #question({ question, slug, asks }: Extract<FromBroker, { type: "question" }>): void {
    const life = this.#life;
    const tell = (answer: unknown) => life?.send({ type: "answer", question, answer });
    if (asks.type === "browser") {
      tell(this.#shown(slug, asks.url));
      return;
    }
    const server = this.#entries.get(slug)?.server.name ?? slug;
    void this.#questions.put(question, { server, message: asks.message, schema: asks.schema }, tell);
  }

  /** Nobody else has a page shown than who signs in. */
  #shown(slug: string, url: string): boolean {
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
