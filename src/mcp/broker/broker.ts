import type { Clock } from "../../mailbox/clock.ts";
import { MAIN } from "../../mailbox/ids.ts";
import { Caller } from "../../mailbox/rpc/caller.ts";
import type { Channel } from "../../mailbox/rpc/channel.ts";
import { sender } from "../../mailbox/rpc/server.ts";
import { endTagged, hostTag, tagsOf } from "../../processes/host-tag.ts";
import {
  type Begin,
  type McpRequest,
  type Outcome,
  type Progress,
  type SESSION_NOTICES,
  SESSION_REQUESTS,
} from "../protocol.ts";
import type { HttpServer, McpServer } from "../server.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { ended, reasonOf } from "./error-text.ts";
import { signIn } from "./oauth.ts";
import { ServerConnection } from "./server-connection.ts";
import { SignInFile } from "./sign-in-file.ts";

/** Between two words of progress of one call. */
const PROGRESS_MS = 50;

/** All servers of a session, in the broker's process. */
export class Broker {
  readonly #begin: Begin;
  readonly #clock: Clock;
  readonly #tell: ReturnType<typeof sender<typeof SESSION_NOTICES>>;
  readonly #person: Caller<typeof SESSION_REQUESTS>;
  readonly #links = new Map<string, ServerConnection>();
  /** Servers that are being ended: a new one of the same name waits for the old one's end. */
  readonly #ending = new Map<string, Promise<void>>();
  /** Carried by every server, so that what leaves its group can still be found. */
  readonly #tag = hostTag(process.ppid, process.pid);
  #startedAny = false;

  constructor(begin: Begin, clock: Clock, channel: Channel) {
    this.#begin = begin;
    this.#clock = clock;
    this.#tell = sender<typeof SESSION_NOTICES>(channel);
    this.#person = new Caller(SESSION_REQUESTS, { clock, peer: "The session" });
    this.#person.attach(channel);
  }

  start(server: McpServer, life: number): void {
    const before = this.#links.get(server.slug);
    if (before !== undefined) {
      before.start();
      return;
    }
    const link = this.#linkTo(server, life);
    this.#links.set(server.slug, link);
    const ending = this.#ending.get(server.slug);
    if (ending === undefined) link.start();
    else void ending.then(() => link.start());
  }

  stop(slug: string): Promise<void> {
    const link = this.#links.get(slug);
    const before = this.#ending.get(slug) ?? Promise.resolve();
    if (link === undefined) return before;
    this.#links.delete(slug);
    // One that has not begun yet ends at once, while the one before it may still be there.
    const ending: Promise<void> = Promise.all([before, link.stop()]).then(() => {
      if (this.#ending.get(slug) === ending) this.#ending.delete(slug);
    });
    this.#ending.set(slug, ending);
    return ending;
  }

  restart(slug: string): void {
    this.#links.get(slug)?.restart();
  }

  /** Ends every server with all it started; resolves when it is gone. */
  async close(): Promise<void> {
    await Promise.all([...this.#links.keys()].map((slug) => this.stop(slug)));
    await Promise.all(this.#ending.values());
    if (this.#startedAny) await endTagged(this.#tag, this.#clock);
  }

  #linkTo(server: McpServer, life: number): ServerConnection {
    const { slug } = server;
    const { env, cwd, roots, signIns, limits, elicits, version } = this.#begin;
    return new ServerConnection(server, {
      ...{ cwd, roots, signIns, limits, version, clock: this.#clock },
      // Whoever starts it, it belongs to the session.
      env: { ...env, ...tagsOf(this.#tag, MAIN) },
      elicit: elicits
        ? async (message, schema, signal) => {
            const asks = { slug, message, schema: { ...schema } };
            const result = await this.#person.call("elicit", asks, { signal });
            return result.ok ? result.value : undefined;
          }
        : null,
      onState: (state, instructions) =>
        this.#tell("state", { slug, life, state: { ...state }, instructions }),
      onTools: (tools) => this.#tell("tools", { slug, life, tools: [...tools] }),
      onChanged: (what) => this.#tell("changed", { slug, life, what }),
      onWarning: (message) => this.#tell("warning", { message }),
      onProcess: (pid, running) => {
        this.#startedAny = true;
        this.#tell("process", { pid, running });
      },
    });
  }

  /** Never rejects. */
  async carryOut(
    slug: string,
    wish: McpRequest,
    signal: AbortSignal,
    tell: (said: Progress) => void,
  ): Promise<Outcome> {
    const link = this.#links.get(slug);
    if (link === undefined) return { type: "failed", message: `There is no MCP server ${slug}.` };
    if (wish.type !== "sign-in" && wish.type !== "sign-out")
      return link.request(wish, signal, this.#seldom(tell));
    if (link.server.type === "stdio")
      return {
        type: "failed",
        message: `The MCP server "${link.server.name}" is a program here: nobody signs in at it.`,
      };
    return wish.type === "sign-in" ? this.#signIn(link.server, link, signal) : this.#signOut(link.server);
  }

  #signOut(server: HttpServer): Outcome {
    try {
      return { type: "signed-out", was: new SignInFile(this.#begin.signIns, server).forget() };
    } catch (error) {
      const message = `The sign-in at the MCP server "${server.name}" could not be forgotten: ${reasonOf(error)}`;
      return { type: "failed", message: ended(message) };
    }
  }

  async #signIn(server: HttpServer, link: ServerConnection, signal: AbortSignal): Promise<Outcome> {
    const { signIns, limits } = this.#begin;
    const time = new AbortController();
    const withdraw = this.#clock.after(limits.signInMs, () =>
      time.abort(new Error("nobody has signed in in time")),
    );
    const either = AbortSignal.any([signal, time.signal]);
    try {
      await signIn(
        {
          ...{ server, file: new SignInFile(signIns, server) },
          fetch: boundedFetch({ ...server, messageBytes: limits.messageBytes }),
          openBrowser: async (url) => {
            const shown = await this.#person.call("browser", { slug: server.slug, url }, { signal: either });
            if (!shown.ok || !shown.value) throw new Error("nobody is here to sign in");
          },
        },
        either,
      );
      link.start();
      return { type: "signed-in" };
    } catch (error) {
      const message = `Nobody could be signed in at the MCP server "${server.name}": ${reasonOf(error)}`;
      return { type: "failed", message: ended(message) };
    } finally {
      withdraw();
    }
  }

  /** One word of progress within a while. */
  #seldom(tell: (said: Progress) => void): (said: Progress) => void {
    let last = Number.NEGATIVE_INFINITY;
    return ({ progress, total, message }) => {
      const now = this.#clock.now();
      if (now - last < PROGRESS_MS) return;
      last = now;
      tell({ progress, total, message: message?.slice(0, 500) });
    };
  }
}
