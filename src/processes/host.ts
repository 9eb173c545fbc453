import type { Socket } from "node:net";
import { type Clock, systemClock } from "../mailbox/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import { type Child, startChild } from "./child.ts";
import { withoutCredentials } from "./environment.ts";
import { endTagged, hostTag, runTagOf, tagsOf } from "./host-tag.ts";
import { namelessFiles } from "./nameless-files.ts";
import { connectFor } from "./piped-output.ts";
import { type FromHost, ToHost } from "./protocol.ts";
import type { ProcessRequest } from "./requests.ts";
import { cancelledEarly } from "./results.ts";

/** The process host: a process with little memory, so that starting a child costs it next to nothing. */
function serve(clock: Clock): void {
  const children = new Map<number, Child>();
  const files = namelessFiles();
  /** Runs that are not children yet. */
  const connecting = new Set<number>();
  /** Only a shell's children can leave their group; looking through all processes is dear. */
  let ranShell = false;
  let environment: Record<string, string> = {};
  const tag = hostTag(process.ppid, process.pid);
  let leaving = false;

  const send = (message: FromHost) => {
    // Nobody to tell is no fault: `disconnect` follows and ends everything.
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  };

  async function run(ticket: number, request: ProcessRequest, path?: string): Promise<void> {
    let socket: Socket | null = null;
    if (path !== undefined) {
      connecting.add(ticket);
      socket = await connectFor(path).catch(() => null);
      // Deleted already: it was stopped meanwhile.
      if (!connecting.delete(ticket) || socket === null) {
        socket?.destroy();
        return send({ type: "result", ticket, result: cancelledEarly(request.id) });
      }
    }
    const own = { ...environment, ...request.env };
    const light = request.confined !== undefined && request.confined.type !== "full";
    const tags = { ...tagsOf(tag, request.owner), ...(request.output ? runTagOf(tag, ticket) : {}) };
    const env = { ...(light ? withoutCredentials(own) : own), ...tags };
    ranShell ||= request.output !== undefined;
    const child = startChild(request, env, clock, files, socket);
    children.set(ticket, child);
    // bubblewrap ends with this process, and a command that only reads mostly at once.
    const isBrief = light && process.platform === "linux" && request.timeoutMs !== null;
    if (child.pid !== undefined && !isBrief) send({ type: "started", ticket, pid: child.pid });
    const result = await child.result;
    children.delete(ticket);
    send({ type: "result", ticket, result });
  }

  async function stop(owner: ActorId | null): Promise<void> {
    if (owner === null) connecting.clear();
    const concerned = [...children.values()].filter((child) => owner === null || child.owner === owner);
    for (const child of concerned) child.stop("cancelled");
    await Promise.all(concerned.map((child) => child.result));
    // A command ends what left its group itself; this finds what a hook's shell or a fork at the wrong moment left.
    if (owner === null && ranShell) await endTagged(tag, clock);
  }

  async function leave(): Promise<void> {
    if (leaving) return;
    leaving = true;
    await stop(null);
    files.close();
    process.exit(0);
  }

  async function answer(message: ToHost): Promise<void> {
    switch (message.type) {
      case "begin":
        environment = message.env;
        return;
      case "run":
        return run(message.ticket, message.request, message.socket);
      case "cancel":
        connecting.delete(message.ticket);
        children.get(message.ticket)?.stop("cancelled");
        return;
      case "follow":
        children
          .get(message.ticket)
          ?.follow(message.from, message.words, (lines) =>
            send({ type: "lines", ticket: message.ticket, lines }),
          );
        return;
      case "stop":
        await stop(message.owner);
        send({ type: "stopped", ticket: message.ticket });
        return;
      default:
        message satisfies never;
    }
  }

  process.on("message", (message) => void answer(ToHost.parse(message)));
  // The main process is gone, by close() or by SIGKILL: the channel says so either way.
  process.on("disconnect", () => void leave());
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void leave());
  if (!process.connected) void leave();
}

serve(systemClock);
