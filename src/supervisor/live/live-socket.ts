import { chmodSync, renameSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { errorMessage } from "../../lib/errors.ts";
import type { Clock } from "../../mailbox/clock.ts";
import type { SessionId } from "../../mailbox/ids.ts";
import type { AgentView } from "../view.ts";
import { LiveTree } from "./live-tree.ts";
import type { LiveHello } from "./protocol.ts";
import {
  farPlace,
  fits,
  identityOf,
  isFar,
  makeRunFolder,
  nearPlace,
  removeFile,
  removePlace,
  type SocketPlace,
  socketPlaces,
  UNREADY,
} from "./socket-path.ts";
import { sweepIfDead, sweepSockets } from "./sweep.ts";
import { LIVE_PROTOCOL } from "./version.ts";
import { Viewer } from "./viewer.ts";

export interface LiveSocketOptions {
  readonly session: SessionId;
  /** Where sessions are kept. */
  readonly home: string;
  readonly cwd: string;
  readonly model: string;
  /** Asked ten times a second while somebody looks, never otherwise. */
  tree(): readonly AgentView[];
  /** Of the whole session, in dollars. */
  costUsd(): number;
  readonly clock: Clock;
  onWarning(message: string): void;
  /** Milliseconds before the socket is made, so that a session starts without it (default 250). */
  readonly delayMs?: number;
}

/** The session's own socket: others of this user may look at what its agents do. */
export interface LiveSocket {
  /** Its path once it can be looked at; null where there is none: closed before, or told as a warning. */
  readonly opened: Promise<string | null>;
  /** Tells the last state and that this was it, and takes the socket away. Idempotent. */
  close(): Promise<void>;
}

/** Milliseconds between two looks at the tree. */
const EVERY_MS = 100;
/** Milliseconds before the first look: who only asks whether somebody is here has left by then. */
const FIRST_MS = 10;
const DELAY_MS = 250;
/** Milliseconds that viewers have to read the end. */
const FAREWELL_MS = 200;
const MAX_VIEWERS = 16;

/**
 * Opens the session's socket a little later. Viewers can only look: what they send is not read. Nothing is looked
 * at while there is none of them. The socket never keeps the process alive. Windows has no such sockets; there
 * a session cannot be watched from outside.
 */
export function openLiveSocket(options: LiveSocketOptions): LiveSocket {
  const { clock, onWarning, delayMs = DELAY_MS } = options;
  const opened = Promise.withResolvers<string | null>();
  const live = new Live(options);
  let closing: Promise<void> | null = null;
  const withdraw =
    process.platform === "win32"
      ? () => {}
      : clock.after(delayMs, () =>
          live.open().then(opened.resolve, (error: unknown) => {
            const why = errorMessage(error);
            if (closing === null)
              onWarning(`The session cannot be watched from another terminal (troupe top): ${why}.`);
            opened.resolve(null);
          }),
        );
  if (process.platform === "win32") opened.resolve(null);
  return {
    opened: opened.promise,
    close() {
      withdraw();
      closing ??= live.close().finally(() => opened.resolve(null));
      return closing;
    },
  };
}

class Live {
  readonly #options: LiveSocketOptions;
  readonly #server: Server;
  readonly #viewers = new Set<Viewer>();
  readonly #tree = new LiveTree();
  readonly #hello: LiveHello;
  #place: SocketPlace | null = null;
  /** What is ours in that place: a session taken up again may have put its own there. */
  #identity: string | null = null;
  #opening: Promise<unknown> = Promise.resolve();
  #closed = false;
  #withdraw: (() => void) | null = null;
  #onEmpty: () => void = () => {};

  constructor(options: LiveSocketOptions) {
    this.#options = options;
    const { session, cwd, model, clock } = options;
    const startedAt = clock.date();
    this.#hello = {
      type: "hello",
      protocol: LIVE_PROTOCOL,
      session,
      cwd,
      model,
      pid: process.pid,
      startedAt,
    };
    this.#server = createServer((socket) => {
      const viewer: Viewer = new Viewer(socket, () => this.#forget(viewer));
      this.#viewers.add(viewer);
      viewer.tell(this.#hello);
      this.#plan(FIRST_MS);
    });
    this.#server.maxConnections = MAX_VIEWERS;
    // A process without descriptors left must not end because somebody wants to look.
    this.#server.on("error", (error) => {
      if (this.#place !== null) options.onWarning(`Nobody more can watch this session: ${error.message}.`);
    });
    this.#server.unref();
  }

  open(): Promise<string | null> {
    const opening = this.#open();
    // A close waits for it, however it ends.
    this.#opening = opening.catch(() => {});
    return opening;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening;
    this.#withdraw?.();
    if (this.#place === null) await this.#sweepOwn();
    else if (identityOf(this.#place.path) === this.#identity) removePlace(this.#place);
    this.#place = null;
    if (this.#server.listening) this.#server.close();
    await this.#farewell();
  }

  async #open(): Promise<string | null> {
    const { home, session, clock, onWarning } = this.#options;
    makeRunFolder(home);
    await this.#sweepOwn();
    if (this.#closed) return null;
    const place = await this.#listen();
    // Nothing of the session waits for it.
    sweepSockets(home, clock, session).catch((error: unknown) =>
      onWarning(`Sockets of dead sessions in ${home} could not be swept: ${String(error)}.`),
    );
    return this.#closed ? null : place.path;
  }

  /** Of this session when it ran last, where its process was killed. */
  async #sweepOwn(): Promise<void> {
    const { home, session } = this.#options;
    for (const place of socketPlaces(home)) if (place.session === session) await sweepIfDead(place);
  }

  /** Near, where its path is short enough and the disk takes sockets; else far. */
  async #listen(): Promise<SocketPlace> {
    const { home, session } = this.#options;
    const near = nearPlace(home, session);
    if (fits(near.path)) {
      try {
        return await this.#listenAt(near);
      } catch {
        // Some file systems have no sockets; if it is something else, the other place fails, too, and says so.
      }
    }
    const far = farPlace(home, session);
    try {
      return await this.#listenAt(far);
    } catch (error) {
      removePlace(far);
      throw error;
    }
  }

  /** It gets its name only when it listens and only this user may connect: nobody sees it half made. */
  async #listenAt(place: SocketPlace): Promise<SocketPlace> {
    const { entry, path } = place;
    const unready = `${entry.replace(/\.[a-z]+$/, "")}${UNREADY}`;
    const first = isFar(place) ? path : unready;
    removeFile(unready);
    await listening(this.#server, first);
    try {
      chmodSync(first, 0o600);
      if (isFar(place)) writeFileSync(unready, `${path}\n`, { mode: 0o600, flag: "wx" });
      renameSync(unready, entry);
    } catch (error) {
      await new Promise((resolve) => this.#server.close(resolve));
      throw error;
    }
    this.#place = place;
    this.#identity = identityOf(path);
    return place;
  }

  #look() {
    return this.#tree.look(this.#options.tree());
  }

  #plan(ms: number): void {
    if (this.#withdraw !== null || this.#closed) return;
    this.#withdraw = this.#options.clock.after(ms, () => {
      this.#withdraw = null;
      if (this.#viewers.size === 0) return;
      this.#show();
      this.#plan(EVERY_MS);
    });
  }

  #show(): void {
    const agents = this.#look();
    const now = this.#options.clock.now();
    const costUsd = this.#options.costUsd();
    for (const viewer of this.#viewers) viewer.show(agents, now, costUsd);
  }

  #forget(viewer: Viewer): void {
    this.#viewers.delete(viewer);
    if (this.#viewers.size > 0) return;
    this.#withdraw?.();
    this.#withdraw = null;
    this.#onEmpty();
  }

  /** Viewers are told the last state; who does not read it in time has it cut off. */
  async #farewell(): Promise<void> {
    if (this.#viewers.size === 0) return;
    this.#show();
    for (const viewer of this.#viewers) viewer.end();
    await new Promise<void>((resolve) => {
      const withdraw = this.#options.clock.after(FAREWELL_MS, () => {
        for (const viewer of this.#viewers) viewer.drop();
      });
      this.#onEmpty = () => {
        withdraw();
        resolve();
      };
    });
  }
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // Exclusive: in a process of a cluster the socket would be the primary's.
    server.listen({ path, exclusive: true }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
