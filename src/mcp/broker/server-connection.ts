import { type Clock, pause } from "../../lib/clock.ts";
import { shorten } from "../../lib/text.ts";
import type { ServerState, ServerTool, ToolProgress } from "../mcp.ts";
import type { McpServer } from "../server.ts";
import {
  type Connection,
  type ConnectionParts,
  connect,
  type Elicit,
  type LostConnection,
  type NoConnection,
} from "./connect.ts";
import { isUnauthorized, isUnreached } from "./http-transport.ts";
import { type RequestTimeout, startTimeout } from "./request-timeout.ts";
import { RefusedPromptError, type RequestParts } from "./requests.ts";
import { errorReason, invalidPart, isClosed, stripControls, toSentence } from "./server-text.ts";
import { listTools, MAX_DESCRIPTION } from "./tool-list.ts";

/** A connection that held this long starts the count of retries again. */
const STEADY_MS = 60_000;
const LIST_MS = 30_000;
const MAX_WARNINGS = 100;
const PROGRESS_MS = 50;

export interface ServerConnectionParts extends Omit<ConnectionParts, "onChanged"> {
  onState(state: ServerState, instructions?: string): void;
  onTools(tools: readonly ServerTool[]): void;
  onChanged(what: "resources" | "prompts"): void;
  onWarning(message: string): void;
}

/** Keeps one server connected, with a bounded number of retries, and sends it requests (fault 58). */
export class ServerConnection {
  readonly server: McpServer;
  readonly #parts: ServerConnectionParts;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  readonly #timeouts = new Set<RequestTimeout>();
  readonly #warned = new Set<string>();
  readonly #running: Promise<void>;
  #connection: Connection | null = null;
  #connected = Promise.withResolvers<void>();
  #refreshing: Promise<void> = Promise.resolve();

  /** Connects when `before` has resolved: the end of an earlier connection to the same server. */
  constructor(server: McpServer, before: Promise<void>, parts: ServerConnectionParts) {
    this.server = server;
    this.#parts = parts;
    this.#clock = parts.clock;
    this.#running = before.then(() => this.#run());
  }

  /** Ends the server; resolves when no process of it runs. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the server is being stopped"));
    await this.#connection?.close();
    await this.#running;
    await this.#refreshing;
  }

  /** Sends a request, which may wait for a connection. Rejects with a sentence. `onProgress`: of a call, which may take long. */
  async request<Value>(
    signal: AbortSignal,
    send: (parts: RequestParts) => Promise<Value>,
    onProgress?: (progress: ToolProgress) => void,
  ): Promise<Value> {
    const { callMs, longestCallMs, resultChars } = this.#parts.limits;
    const quietMs = onProgress === undefined ? Math.min(callMs, LIST_MS) : (this.server.callMs ?? callMs);
    const times = { quietMs, longestMs: Math.max(quietMs, longestCallMs) };
    const timeout = startTimeout(this.#clock, times, signal);
    this.#timeouts.add(timeout);
    let connection: Connection | null = null;
    let reportedAt = Number.NEGATIVE_INFINITY;
    try {
      connection = await this.#waitForConnection(timeout.signal);
      if (connection === null) throw new Error("Not connected");
      return await send({
        ...{ client: connection.client, resultChars, signal: timeout.signal },
        onProgress: (progress) => {
          timeout.progress();
          if (this.#clock.now() - reportedAt < PROGRESS_MS) return;
          reportedAt = this.#clock.now();
          onProgress?.(progress);
        },
      });
    } catch (error) {
      throw error instanceof RefusedPromptError
        ? error
        : new Error(await this.#explain(error, connection, timeout));
    } finally {
      this.#timeouts.delete(timeout);
      timeout.end();
    }
  }

  async #waitForConnection(signal: AbortSignal): Promise<Connection | null> {
    const aborted = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => aborted.resolve(), { once: true });
    if (signal.aborted) aborted.resolve();
    await Promise.race([this.#connected.promise, this.#running, aborted.promise]);
    return this.#connection;
  }

  async #run(): Promise<void> {
    const { limits, onState } = this.#parts;
    const stop = this.#stop.signal;
    if (!stop.aborted) onState({ type: "starting" });
    for (let tries = 0; !stop.aborted; tries += 1) {
      const startedAt = this.#clock.now();
      const end = await this.#connectOnce();
      if (stop.aborted) return;
      const { type, reason, isFinal } = end;
      // Only a server that has run is tried again.
      if (isFinal || (type !== "lost" && tries === 0))
        return onState({ type: type === "lost" ? "failed" : type, reason });
      if (type === "lost" && this.#clock.now() - startedAt >= STEADY_MS) tries = 0;
      if (tries >= limits.reconnects)
        return onState({
          ...{
            type: "failed",
            reason: `${toSentence(reason)} It was restarted ${tries} times and stays stopped.`,
          },
        });
      onState({ type: "starting", reason });
      await pause(this.#clock, Math.min(limits.reconnectMs * 2 ** tries, limits.longestReconnectMs), stop);
    }
  }

  async #connectOnce(): Promise<NoConnection | { type: "lost"; reason: string; isFinal: boolean }> {
    const elicit: Elicit = (...question) => this.#elicit(...question);
    const connection = await connect(
      this.server,
      {
        ...this.#parts,
        elicit: this.#parts.elicit === null ? null : elicit,
        onChanged: (what) => {
          if (what === "tools") this.#refresh();
          else if (this.#connection !== null) this.#parts.onChanged(what);
        },
      },
      this.#stop.signal,
    );
    if ("reason" in connection) return connection;
    this.#connection = connection;
    const stopped = Promise.withResolvers<LostConnection>();
    const stop = () => stopped.resolve({ fault: "", details: "", isFinal: false });
    this.#stop.signal.addEventListener("abort", stop, { once: true });
    if (this.#stop.signal.aborted) stop();
    else this.#announce(connection);
    const { fault, details, isFinal } = await Promise.race([connection.lost, stopped.promise]);
    this.#connection = null;
    this.#connected = Promise.withResolvers();
    await connection.close();
    return { type: "lost", reason: `${this.#sentence(fault)}${details}`, isFinal };
  }

  #announce({ client, tools }: Connection): void {
    this.#connected.resolve();
    this.#warn(tools.problems);
    this.#parts.onTools(tools.tools);
    const instructions = client.getInstructions();
    this.#parts.onState(
      { type: "connected" },
      instructions && shorten(stripControls(instructions), MAX_DESCRIPTION),
    );
  }

  /** While the user answers, no request to this server runs out of time. */
  async #elicit(...[message, schema, signal]: Parameters<Elicit>): ReturnType<Elicit> {
    const releases = [...this.#timeouts].map((timeout) => timeout.hold());
    try {
      return await this.#parts.elicit?.(stripControls(message), schema, signal);
    } finally {
      for (const release of releases) release();
    }
  }

  /** Lists the tools again: the server reports that they have changed. */
  #refresh(): void {
    this.#refreshing = this.#refreshing.then(async () => {
      const connection = this.#connection;
      if (connection === null) return;
      const times = { quietMs: LIST_MS, longestMs: LIST_MS };
      const timeout = startTimeout(this.#clock, times, this.#stop.signal);
      try {
        const { tools, problems } = await listTools(connection.client, timeout.signal);
        this.#warn(problems);
        if (this.#connection === connection) this.#parts.onTools(tools);
      } catch (error) {
        if (!this.#stop.signal.aborted && !isClosed(error))
          this.#warn([`reports that its tools have changed, but does not list them (${errorReason(error)})`]);
      } finally {
        timeout.end();
      }
    });
  }

  #warn(problems: readonly string[]): void {
    for (const problem of problems) {
      if (this.#warned.has(problem) || this.#warned.size >= MAX_WARNINGS) continue;
      this.#warned.add(problem);
      this.#parts.onWarning(this.#sentence(problem));
    }
  }

  async #explain(error: unknown, connection: Connection | null, timeout: RequestTimeout): Promise<string> {
    if (timeout.expired !== null)
      return this.#sentence(
        `did not answer: ${timeout.expired}. The call was cancelled; it is not known what it did until then`,
      );
    if (timeout.signal.aborted) return this.#sentence("did not answer before the call was cancelled");
    if (connection === null) return this.#sentence("is not connected");
    if (isUnauthorized(error) || isUnreached(error)) {
      // Over HTTP a server's end is not reported: a new connection shows what it wants.
      void connection.client.close();
      return this.#sentence(`could not be reached (${errorReason(error)}); it is being connected again`);
    }
    if (isClosed(error)) {
      const { fault, details } = await faultOf(connection);
      const unknown = `${fault} before it answered; it is not known whether the call did its work`;
      return `${this.#sentence(unknown)}${details}`;
    }
    const part = invalidPart(error);
    return this.#sentence(
      part === null ? `answered with an error: ${errorReason(error)}` : `sent an invalid answer (${part})`,
    );
  }

  #sentence(what: string): string {
    return toSentence(`The MCP server "${this.server.name}" ${what}`);
  }
}

/** `lost` resolves in the same moment as the error that it explains. */
function faultOf({ lost }: Connection): Promise<LostConnection> {
  const unknown = { fault: "closed the connection", details: "", isFinal: false };
  return Promise.race([lost, new Promise<LostConnection>((resolve) => setImmediate(resolve, unknown))]);
}
