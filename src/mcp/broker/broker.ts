import type { Clock } from "../../lib/clock.ts";
import { MAIN } from "../../mailbox/ids.ts";
import { Caller } from "../../mailbox/rpc/caller.ts";
import type { Channel } from "../../mailbox/rpc/channel.ts";
import { sender } from "../../mailbox/rpc/server.ts";
import { endTagged, hostTag, tagsOf } from "../../processes/host-tag.ts";
import type { SignedOut } from "../mcp.ts";
import { type BrokerSettings, type SESSION_NOTICES, SESSION_REQUESTS } from "../protocol.ts";
import type { HttpServer, McpServer } from "../server.ts";
import { boundedFetch } from "./http-transport.ts";
import { ServerConnection } from "./server-connection.ts";
import { errorReason, toSentence } from "./server-text.ts";
import { signIn } from "./sign-in.ts";
import { SignInFile } from "./sign-in-file.ts";
import { signOut } from "./sign-out.ts";

/** All servers of a session, in the broker's process. */
export class Broker {
  readonly #settings: BrokerSettings;
  readonly #clock: Clock;
  readonly #notify: ReturnType<typeof sender<typeof SESSION_NOTICES>>;
  readonly #session: Caller<typeof SESSION_REQUESTS>;
  readonly #connections = new Map<string, ServerConnection>();
  /** The ends of earlier connections, by slug: a new one of the same slug waits for them. */
  readonly #ends = new Map<string, Promise<void>>();
  /** Carried by every server, so that a process that leaves its group can still be found. */
  readonly #tag = hostTag(process.ppid, process.pid);
  #startedAny = false;

  constructor(settings: BrokerSettings, clock: Clock, channel: Channel) {
    this.#settings = settings;
    this.#clock = clock;
    this.#notify = sender<typeof SESSION_NOTICES>(channel);
    this.#session = new Caller(SESSION_REQUESTS, { clock, peer: "The session" });
    this.#session.attach(channel);
  }

  /** Starts a server, after the end of the one that has its slug. */
  start(server: McpServer, life: number): void {
    const { slug } = server;
    const { env, elicits, ...settings } = this.#settings;
    const connection = new ServerConnection(server, this.stop(slug), {
      ...{ ...settings, clock: this.#clock },
      // In any case it belongs to the session.
      env: { ...env, ...tagsOf(this.#tag, MAIN) },
      elicit: elicits
        ? async (message, schema, signal) => {
            const result = await this.#session.call("elicit", { slug, message, schema }, { signal });
            return result.ok ? result.value : undefined;
          }
        : null,
      onState: (state, instructions) => this.#notify("state", { slug, life, state, instructions }),
      onTools: (tools) => this.#notify("tools", { slug, life, tools }),
      onChanged: (what) => this.#notify("changed", { slug, life, what }),
      onWarning: (message) => this.#notify("warning", { message }),
      onProcess: (pid, running) => {
        this.#startedAny = true;
        this.#notify("process", { pid, running });
      },
    });
    this.#connections.set(slug, connection);
  }

  stop(slug: string): Promise<void> {
    const end = this.#connections.get(slug)?.stop() ?? this.#ends.get(slug) ?? Promise.resolve();
    this.#connections.delete(slug);
    this.#ends.set(slug, end);
    return end;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.keys(), ...this.#ends.keys()].map((slug) => this.stop(slug)));
    if (this.#startedAny) await endTagged(this.#tag, this.#clock);
  }

  /** Signs the user in. Rejects with a sentence. */
  async signIn(slug: string, signal: AbortSignal): Promise<null> {
    const server = this.#findHttp(slug);
    const { signIns, limits } = this.#settings;
    const late = new AbortController();
    const withdraw = this.#clock.after(limits.signInMs, () =>
      late.abort(new Error("the user did not sign in in time")),
    );
    const either = AbortSignal.any([signal, late.signal]);
    try {
      const parts = {
        file: new SignInFile(signIns, server),
        fetch: boundedFetch({ ...server, messageBytes: limits.messageBytes }),
        openBrowser: async (url: string) => {
          const shown = await this.#session.call("browser", { slug, url }, { signal: either });
          if (!shown.ok || !shown.value) throw new Error("no user is here to sign in");
        },
      };
      await signIn(server, parts, either);
      return null;
    } catch (error) {
      throw new Error(toSentence(`Cannot sign in at the MCP server "${server.name}": ${errorReason(error)}`));
    } finally {
      withdraw();
    }
  }

  async signOut(slug: string): Promise<SignedOut> {
    const server = this.#findHttp(slug);
    try {
      return await signOut(server, new SignInFile(this.#settings.signIns, server), this.#clock);
    } catch (error) {
      const message = `The sign-in at the MCP server "${server.name}" could not be removed: ${errorReason(error)}`;
      throw new Error(toSentence(message));
    }
  }

  find(slug: string): ServerConnection {
    const connection = this.#connections.get(slug);
    if (connection === undefined) throw new Error(`There is no MCP server ${slug}.`);
    return connection;
  }

  #findHttp(slug: string): HttpServer {
    const { server } = this.find(slug);
    if (server.type === "stdio")
      throw new Error(`The MCP server "${server.name}" is a program on this machine and has no sign-in.`);
    return server;
  }
}
