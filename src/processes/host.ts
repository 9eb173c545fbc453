import { closeSync, readdirSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { type Clock, systemClock } from "../lib/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import { parentChannel } from "../mailbox/rpc/channel.ts";
import { receive, serve } from "../mailbox/rpc/server.ts";
import type { EventOf, RequestOf, Serving } from "../mailbox/rpc/table.ts";
import { type Child, startChild } from "./child.ts";
import { withoutCredentials } from "./environment.ts";
import { endTagged, hostTag, runTagOf, tagsOf } from "./host-tag.ts";
import { connectFor } from "./launch.ts";
import { cancelledEarly, HOST_NOTICES, HOST_REQUESTS, type Lines, type ProcessResult } from "./processes.ts";

type Run = RequestOf<typeof HOST_REQUESTS, "run">;
type RunEvent = EventOf<typeof HOST_REQUESTS, "run">;

interface Running {
  readonly id: string;
  readonly child: Child;
  tell(lines: Lines): void;
}

/** Milliseconds after which a command that only reads has started for its listener. */
const BRIEF_MS = 500;

/** Runs the process host: a process with little memory, so that starting a child is cheap. */
function host(clock: Clock): void {
  const children = new Set<Running>();
  const connecting = new Set<number>();
  let runs = 0;
  /** Only a shell's children can leave their group; a search through all processes is slow. */
  let ranShell = false;
  let environment: Record<string, string> = {};
  const tag = hostTag(process.ppid, process.pid);
  let leaving = false;

  async function run(
    { request, socket: path }: Run,
    { signal, event }: Serving<RunEvent>,
  ): Promise<ProcessResult> {
    const n = ++runs;
    let socket: Socket | null = null;
    if (path !== undefined) {
      connecting.add(n);
      socket = await connectFor(path).catch(() => null);
      // Already deleted: everything was stopped in between.
      if (!connecting.delete(n) || signal.aborted || socket === null) {
        socket?.destroy();
        return cancelledEarly(request.id);
      }
    }
    const own = { ...environment, ...request.env };
    const light = request.confined !== undefined && request.confined.type !== "full";
    const tags = { ...tagsOf(tag, request.owner), ...(request.output ? runTagOf(tag, n) : {}) };
    const env = { ...(light ? withoutCredentials(own) : own), ...tags };
    ranShell ||= request.output !== undefined;
    const child = startChild(request, env, clock, socket);
    const running = { id: request.id, child, tell: (lines: Lines) => event({ type: "lines", lines }) };
    children.add(running);
    signal.addEventListener("abort", () => child.stop("cancelled"), { once: true });
    const started = () => child.pid !== undefined && event({ type: "started", pid: child.pid });
    // bubblewrap ends with this process, and a command that only reads usually ends before anything follows it.
    const isBrief = light && process.platform === "linux" && request.timeoutMs !== null;
    const withdraw = isBrief ? clock.after(BRIEF_MS, started) : null;
    if (!isBrief) started();
    const result = await child.result;
    withdraw?.();
    children.delete(running);
    return result;
  }

  async function stop(owner: ActorId | null): Promise<void> {
    if (owner === null) connecting.clear();
    const concerned = [...children]
      .map(({ child }) => child)
      .filter((child) => owner === null || child.owner === owner);
    for (const child of concerned) child.stop("cancelled");
    await Promise.all(concerned.map((child) => child.result));
    // A command itself ends what left its group; this finds leftovers of a hook's shell or of a fork at the wrong
    // moment.
    if (owner === null && ranShell) await endTagged(tag, clock);
  }

  async function leave(): Promise<void> {
    if (leaving) return;
    leaving = true;
    await stop(null);
    process.exit(0);
  }

  const channel = parentChannel();
  receive(channel, HOST_NOTICES, {
    begin({ env }) {
      environment = env;
    },
    follow({ id, from, words }) {
      for (const { id: own, child, tell } of children) if (own === id) child.follow(from, words, tell);
    },
    untime({ id }) {
      for (const { id: own, child } of children) if (own === id) child.untime();
    },
  });
  serve(channel, HOST_REQUESTS, {
    run,
    async stop({ owner }) {
      await stop(owner);
      return null;
    },
  });
  // The main process ended, by close() or by SIGKILL: the channel closes either way.
  channel.onClose(() => void leave());
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void leave());
}

const CLOSES_ON_EXEC = 0o2000000;

/** Closes files and sockets of a shell above us, which every child would get. Linux only. */
function closeInherited(): void {
  for (const descriptor of openDescriptors()) {
    try {
      const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
      if (flags !== undefined && (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0) closeSync(descriptor);
    } catch {
      // Closed since it was listed, as the descriptor of the list itself.
    }
  }
}

function openDescriptors(): number[] {
  try {
    return readdirSync("/proc/self/fd")
      .map(Number)
      .filter((descriptor) => descriptor > 2);
  } catch {
    return [];
  }
}

closeInherited();
host(systemClock);
