import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { type LiveSocketOptions, openLiveSocket } from "../../../src/features/live/live-socket.ts";
import type { FromSession } from "../../../src/features/live/protocol.ts";
import type { AgentView } from "../../../src/supervisor/view.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { SESSION } from "./views.ts";

/** A session as far as its socket goes: views set by hand, time that the test lets pass. */
export async function liveSession(options: Partial<LiveSocketOptions> = {}) {
  const clock = new FakeClock();
  const home = options.home ?? temporaryFolder();
  const session = { views: [] as readonly AgentView[], costUsd: 0, looks: 0 };
  const warnings: string[] = [];
  const live = openLiveSocket({
    session: SESSION,
    home,
    cwd: "/w",
    model: "offline",
    tree() {
      session.looks += 1;
      return session.views;
    },
    costUsd: () => session.costUsd,
    clock,
    onWarning: (message) => warnings.push(message),
    ...options,
  });
  onTestFinished(() => live.close());
  await clock.advance(options.delayMs ?? 250);
  return { clock, home, session, warnings, live, path: await live.opened };
}

export interface Viewing {
  readonly socket: Socket;
  /** The next line, once it is there. */
  next(): Promise<FromSession>;
  /** Lines that came and were not asked for yet. */
  readonly waiting: readonly FromSession[];
  readonly closed: Promise<unknown>;
}

/** Somebody who looks through the real socket. */
export async function viewing(path: string | null): Promise<Viewing> {
  if (path === null) throw new Error("there is no socket to look through");
  const socket = connect(path);
  onTestFinished(() => void socket.destroy());
  const lines: FromSession[] = [];
  const askers: ((message: FromSession) => void)[] = [];
  let rest = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const message: FromSession = JSON.parse(part);
      const asker = askers.shift();
      if (asker) asker(message);
      else lines.push(message);
    }
  });
  const closed = once(socket, "close");
  await once(socket, "connect");
  return {
    socket,
    waiting: lines,
    closed,
    next() {
      const line = lines.shift();
      return line ? Promise.resolve(line) : new Promise((resolve) => askers.push(resolve));
    },
  };
}

/** A viewer that was greeted and has seen the tree once. */
export async function looking({ path, clock }: { readonly path: string | null; readonly clock: FakeClock }) {
  const viewer = await viewing(path);
  const hello = await viewer.next();
  await clock.advance(10);
  return { ...viewer, hello, tree: await viewer.next() };
}
