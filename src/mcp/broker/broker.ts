import type { Clock } from "../../mailbox/clock.ts";
import { MAIN } from "../../mailbox/ids.ts";
import { endTagged, hostTag, tagsOf } from "../../processes/host-tag.ts";
import type { BrokerQuestion, FromBroker, Outcome, ToBroker, Wish } from "../protocol.ts";
import type { HttpServer, McpServer } from "../server.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import type { Said } from "./carry-out.ts";
import { Link } from "./link.ts";
import { signIn } from "./oauth.ts";
import { SignInFile } from "./sign-in-file.ts";
import { ended, reasonOf } from "./words.ts";

type Begin = Extract<ToBroker, { type: "begin" }>;

/** Between two words of progress of one call. */
const PROGRESS_MS = 50;

/** All servers of a session, in the broker's process. */
export class Broker {
  readonly #begin: Begin;
  readonly #clock: Clock;
  readonly #send: (message: FromBroker) => void;
  readonly #links = new Map<string, Link>();
  /** Servers that are being ended: a new one of the same name waits for the old one's end. */
  readonly #ending = new Map<string, Promise<void>>();
  readonly #running = new Map<number, AbortController>();
  readonly #questions = new Map<number, (answer: unknown) => void>();
  /** Carried by every server, so that what leaves its group can still be found. */
  readonly #tag = hostTag(process.ppid, process.pid);
  #startedAny = false;
  #asked = 0;

  constructor(begin: Begin, clock: Clock, send: (message: FromBroker) => void) {
    this.#begin = begin;
    this.#clock = clock;
    this.#send = send;
  }

  hear(message: Exclude<ToBroker, Begin>): void {
    switch (message.type) {
      case "start":
        this.#start(message.server, message.life);
        return;
      case "stop":
        void this.#stop(message.slug);
        return;
      case "restart":
        this.#links.get(message.slug)?.restart();
        return;
      case "request":
        void this.#request(message.ticket, message.slug, message.wish);
        return;
      case "cancel":
        this.#running.get(message.ticket)?.abort(new Error("cancelled"));
        return;
      case "answer":
        this.#questions.get(message.question)?.(message.answer);
        return;
      default:
        message satisfies never;
    }
  }

  /** Ends every server with all it started; resolves when it is gone. */
  async close(): Promise<void> {
    for (const running of this.#running.values()) running.abort(new Error("the session is closing"));
    await Promise.all([...this.#links.keys()].map((slug) => this.#stop(slug)));
    await Promise.all(this.#ending.values());
    if (this.#startedAny) await endTagged(this.#tag, this.#clock);
  }

  #start(server: McpServer, life: number): void {
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

  #stop(slug: string): Promise<void> {
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

  #linkTo(server: McpServer, life: number): Link {
    const { slug } = server;
    const { env, cwd, roots, signIns, limits, elicits, version } = this.#begin;
    return new Link(server, {
      ...{ cwd, roots, signIns, limits, version, clock: this.#clock },
      // Whoever starts it, it belongs to the session.
      env: { ...env, ...tagsOf(this.#tag, MAIN) },
      elicit: elicits
        ? (message, schema, signal) =>
            this.#ask(slug, { type: "elicit", message, schema: { ...schema } }, signal)
        : null,
      onState: (state, instructions) =>
        this.#send({ type: "state", slug, life, state: { ...state }, instructions }),
      onTools: (tools) => this.#send({ type: "tools", slug, life, tools: [...tools] }),
      onChanged: (what) => this.#send({ type: "changed", slug, life, what }),
      onWarning: (message) => this.#send({ type: "warning", message }),
      onProcess: (pid, running) => {
        this.#startedAny = true;
        this.#send({ type: "process", pid, running });
      },
    });
  }

  async #request(ticket: number, slug: string, wish: Wish): Promise<void> {
    const running = new AbortController();
    this.#running.set(ticket, running);
    const outcome = await this.#outcome(slug, wish, running.signal, this.#progressOf(ticket));
    this.#running.delete(ticket);
    this.#send({ type: "outcome", ticket, outcome });
  }

  async #outcome(
    slug: string,
    wish: Wish,
    signal: AbortSignal,
    onProgress: (said: Said) => void,
  ): Promise<Outcome> {
    const link = this.#links.get(slug);
    if (link === undefined) return { type: "failed", message: `There is no MCP server ${slug}.` };
    if (wish.type !== "sign-in" && wish.type !== "sign-out") return link.request(wish, signal, onProgress);
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

  async #signIn(server: HttpServer, link: Link, signal: AbortSignal): Promise<Outcome> {
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
            const shown = await this.#ask(server.slug, { type: "browser", url }, either);
            if (shown !== true) throw new Error("nobody is here to sign in");
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

  /** Asks the person; undefined where the answer no longer matters. */
  async #ask(slug: string, asks: BrokerQuestion, signal: AbortSignal): Promise<unknown> {
    if (signal.aborted) return undefined;
    const question = ++this.#asked;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const withdraw = () => {
      this.#send({ type: "withdrawn", question });
      resolve(undefined);
    };
    signal.addEventListener("abort", withdraw, { once: true });
    this.#questions.set(question, resolve);
    this.#send({ type: "question", question, slug, asks });
    try {
      return await promise;
    } finally {
      this.#questions.delete(question);
      signal.removeEventListener("abort", withdraw);
    }
  }

  #progressOf(ticket: number): (said: Said) => void {
    let last = Number.NEGATIVE_INFINITY;
    return (said) => {
      const now = this.#clock.now();
      if (now - last < PROGRESS_MS) return;
      last = now;
      const { progress, total, message } = said;
      this.#send({ type: "progress", ticket, progress, total, message: message?.slice(0, 500) });
    };
  }
}
