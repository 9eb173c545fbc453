import { type Clock, pause } from "../../mailbox/clock.ts";
import type { ServerState } from "../mcp.ts";
import type { McpRequest, Outcome, Progress, ToolSaid } from "../protocol.ts";
import type { McpServer } from "../server.ts";
import { type Connection, type ConnectionParts, connect, type Lost } from "./connection.ts";
import { ended, isClosed, misfitOf, reasonOf } from "./error-text.ts";
import { handleRequest } from "./handle-request.ts";
import { isForgotten, isUnauthorized, isUnreachable } from "./http-transport.ts";
import { type RequestTimeout, requestTimeout } from "./request-timeout.ts";
import { printable } from "./tail-text.ts";
import { listTools, shortened } from "./tool-list.ts";

/** A connection that held so long is not the same failure again. */
const STEADY_MS = 60_000;
/** A server that says all the time that its tools have changed is asked so often. */
const REFRESH_MS = 200;
const LIST_MS = 30_000;

export interface LinkParts extends Omit<ConnectionParts, "changed" | "elicit"> {
  readonly elicit: ConnectionParts["elicit"];
  onState(state: ServerState, instructions?: string): void;
  onTools(tools: readonly ToolSaid[]): void;
  onChanged(what: "resources" | "prompts"): void;
  onWarning(message: string): void;
}

/** One server of a session: kept connected, asked, given up after a bounded number of tries (fault 58). */
export class ServerConnection {
  readonly server: McpServer;
  readonly #parts: LinkParts;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  /** Aborted by a restart; a new one for each. */
  #anew = new AbortController();
  readonly #patient = new Set<RequestTimeout>();
  readonly #told = new Set<string>();
  readonly #changed = new Set<"resources" | "prompts">();
  #connection: Connection | null = null;
  /** Resolved while there is a connection. */
  #made = Promise.withResolvers<void>();
  #running: Promise<void> | null = null;
  #refreshing: Promise<void> | null = null;
  #again = false;

  constructor(server: McpServer, parts: LinkParts) {
    this.server = server;
    this.#parts = parts;
    this.#clock = parts.clock;
  }

  /** Connects, and stays connected as long as that goes. */
  start(): void {
    if (this.#stop.signal.aborted || this.#running !== null) return;
    this.#running = this.#run().finally(() => {
      this.#running = null;
    });
  }

  /** Ends the server, and starts it as for the first time. */
  restart(): void {
    if (this.#running === null) this.start();
    else this.#anew.abort(new Error("the server is being started again"));
  }

  /** Ends the server; resolves when nothing of it runs any more. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the server is being stopped"));
    await this.#connection?.close();
    await this.#running;
    await this.#refreshing;
  }

  /** Never rejects. */
  async request(
    wish: Exclude<McpRequest, { type: "sign-in" | "sign-out" }>,
    signal: AbortSignal,
    onProgress: (said: Progress) => void,
  ): Promise<Outcome> {
    const { callMs, longestCallMs, resultChars } = this.#parts.limits;
    const quietMs = wish.type === "call" ? (this.server.callMs ?? callMs) : Math.min(callMs, LIST_MS);
    const times = { quietMs, longestMs: Math.max(quietMs, longestCallMs) };
    const time = requestTimeout(this.#clock, times, signal);
    this.#patient.add(time);
    let connection: Connection | null = null;
    try {
      connection = await this.#connected(time.signal);
      if (connection === null) return this.#failed("is not connected");
      return await handleRequest(wish, {
        ...{ client: connection.client, resultChars, signal: time.signal },
        onProgress(said) {
          time.alive();
          onProgress(said);
        },
      });
    } catch (error) {
      return await this.#whyNot(error, connection, time);
    } finally {
      this.#patient.delete(time);
      time.end();
    }
  }

  /** Waits for a connection that is being made: the session may not have heard yet that the last one is lost. */
  async #connected(signal: AbortSignal): Promise<Connection | null> {
    if (this.#connection !== null || this.#running === null) return this.#connection;
    const stopped = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => stopped.resolve(), { once: true });
    if (signal.aborted) stopped.resolve();
    await Promise.race([this.#made.promise, this.#running, stopped.promise]);
    return this.#connection;
  }

  async #run(): Promise<void> {
    let tries = 0;
    this.#parts.onState({ type: "starting" });
    while (!this.#stop.signal.aborted) {
      const began = this.#clock.now();
      const over = AbortSignal.any([this.#stop.signal, this.#anew.signal]);
      const end = await this.#once(over);
      if (this.#stop.signal.aborted) break;
      if (this.#startsAnew()) {
        tries = 0;
        continue;
      }
      // What was never there is not waited for; what was there may come back.
      if (end.final || (end.type === "failed" && tries === 0))
        return this.#parts.onState({ type: end.type === "lost" ? "failed" : end.type, reason: end.reason });
      if (end.type === "lost" && this.#clock.now() - began >= STEADY_MS) tries = 0;
      const { reason } = end;
      if (tries >= this.#parts.limits.reconnects)
        return this.#parts.onState({ type: "failed", reason: givenUp(reason, tries) });
      this.#parts.onState({ type: "starting", reason });
      await pause(this.#clock, this.#delay(tries), over);
      tries = this.#startsAnew() ? 0 : tries + 1;
    }
    this.#parts.onState({ type: "stopped" });
  }

  /** Whether a restart is wanted, which is seen to from here on. */
  #startsAnew(): boolean {
    if (!this.#anew.signal.aborted || this.#stop.signal.aborted) return false;
    this.#anew = new AbortController();
    this.#parts.onState({ type: "starting" });
    return true;
  }

  #delay(tries: number): number {
    const { reconnectMs, longestReconnectMs } = this.#parts.limits;
    return Math.min(reconnectMs * 2 ** tries, longestReconnectMs);
  }

  /** One connection, from its start to its end, or to the signal. */
  async #once(over: AbortSignal): Promise<{
    readonly type: "lost" | "needs-auth" | "failed";
    readonly reason: string;
    readonly final: boolean;
  }> {
    const parts: ConnectionParts = {
      ...this.#parts,
      elicit: this.#parts.elicit === null ? null : (...asked) => this.#elicit(...asked),
      changed: (what) => (what === "tools" ? this.#refresh() : this.#reportChange(what)),
    };
    const connected = await connect(this.server, parts, over);
    if (connected.type !== "connected") return connected;
    const { connection } = connected;
    if (over.aborted) {
      await connection.close();
      return { type: "lost", reason: "", final: false };
    }
    this.#connection = connection;
    this.#made.resolve();
    this.#warn(connection.tools.problems);
    this.#parts.onTools(connection.tools.tools);
    const { instructions } = connection;
    this.#parts.onState({ type: "connected" }, instructions && shortened(printable(instructions)));
    const stopped = new Promise<Lost>((resolve) => {
      over.addEventListener("abort", () => resolve({ fault: "", details: "", final: false }), { once: true });
    });
    const { fault, details, final } = await Promise.race([connection.lost, stopped]);
    this.#connection = null;
    this.#made = Promise.withResolvers();
    await connection.close();
    const reason = `${ended(`The MCP server "${this.server.name}" ${fault}`)}${details}`;
    return { type: "lost", reason, final };
  }

  /** While a person thinks, no call of this server runs out of time. */
  async #elicit(
    message: string,
    schema: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const releases = [...this.#patient].map((time) => time.hold());
    try {
      return await this.#parts.elicit?.(printable(message), schema, signal);
    } finally {
      for (const release of releases) release();
    }
  }

  /** The server says that its tools have changed; asked once more where it says so while it is being asked. */
  #refresh(): void {
    this.#again = true;
    this.#refreshing ??= this.#refreshAll().finally(() => {
      this.#refreshing = null;
    });
  }

  /** Once for all that the server reports within a moment: each report has it asked again. */
  #reportChange(what: "resources" | "prompts"): void {
    if (this.#changed.has(what)) return;
    this.#changed.add(what);
    void pause(this.#clock, REFRESH_MS, this.#stop.signal).then(() => {
      this.#changed.delete(what);
      this.#parts.onChanged(what);
    });
  }

  async #refreshAll(): Promise<void> {
    while (this.#again && !this.#stop.signal.aborted) {
      await pause(this.#clock, REFRESH_MS, this.#stop.signal);
      this.#again = false;
      const connection = this.#connection;
      if (connection === null) return;
      const time = requestTimeout(this.#clock, { quietMs: LIST_MS, longestMs: LIST_MS }, this.#stop.signal);
      try {
        const { tools, problems } = await listTools(connection.client, time.signal);
        this.#warn(problems);
        if (this.#connection === connection) this.#parts.onTools(tools);
      } catch (error) {
        if (!this.#stop.signal.aborted && !isClosed(error))
          this.#warn([`says that its tools have changed, but does not tell them (${reasonOf(error)})`]);
      } finally {
        time.end();
      }
    }
  }

  /** Each problem once. */
  #warn(problems: readonly string[]): void {
    for (const problem of problems) {
      if (this.#told.has(problem) || this.#told.size >= 100) continue;
      this.#told.add(problem);
      this.#parts.onWarning(ended(`The MCP server "${this.server.name}" ${problem}`));
    }
  }

  async #whyNot(error: unknown, connection: Connection | null, time: RequestTimeout): Promise<Outcome> {
    if (time.spent !== null)
      return this.#failed(
        `did not answer: ${time.spent}. The call was cancelled; what it did until then is not known`,
      );
    if (time.signal.aborted) return this.#failed("was not waited for any longer");
    if (isUnauthorized(error) || isForgotten(error) || isUnreachable(error)) {
      // Over HTTP nobody says goodbye: it is connected anew, and then says what it wants.
      void connection?.client.close();
      return this.#failed(`could not be reached (${reasonOf(error)}); it is being connected again`);
    }
    if (isClosed(error) && connection !== null) {
      const { fault, details } = await knownFault(connection);
      const { message } = this.#failed(
        `${fault} before it answered; whether the call did its work is not known`,
      );
      return { type: "failed", message: `${message}${details}` };
    }
    const misfit = misfitOf(error);
    if (misfit !== null) return this.#failed(`answered with what is not as the protocol says (${misfit})`);
    return this.#failed(`answered with an error: ${reasonOf(error)}`);
  }

  #failed(why: string): Extract<Outcome, { type: "failed" }> {
    return { type: "failed", message: ended(`The MCP server "${this.server.name}" ${why}`) };
  }
}

/** `lost` is known at the same moment as the error that it explains. */
function knownFault({ lost }: Connection): Promise<Lost> {
  const unknown = { fault: "closed the connection", details: "", final: false };
  return Promise.race([lost, new Promise<Lost>((resolve) => setImmediate(() => resolve(unknown)))]);
}

function givenUp(reason: string, tries: number): string {
  return `${ended(reason)} It was started again ${tries} times, and is now left alone.`;
}
