import type { MessagePort } from "node:worker_threads";
import { systemClock } from "./clock.ts";
import { Caller } from "./rpc/caller.ts";
import { type Channel, channelPair, portChannel } from "./rpc/channel.ts";
import { type Server, serve } from "./rpc/server.ts";
import type { RequestOf, ResponseOf } from "./rpc/table.ts";
import type { Scheduler } from "./scheduler.ts";
import { PeerGone, SERVICES, type Services } from "./services.ts";

type Method = keyof typeof SERVICES;

/** Responses with output are too large to keep; a repeated request is refused, so that nothing runs twice. */
const REMEMBER = { most: 256, large: new Set<Method>(["run", "command"]) };

/** Serves the supervisor's end: responds to each ID once, and to a repeated ID with the recorded response. */
export function serveServices(services: Services, port: MessagePort): Server {
  return serve(portChannel(port), SERVICES, services, { remember: REMEMBER });
}

/** Returns the caller's end. Every pending call rejects with `PeerGone` when the port closes. */
export function servicesOver(port: MessagePort): Services {
  return askOver(portChannel(port));
}

/** Returns the same within one thread: the same checks, the same copies, in any order of the scheduler. */
export function servicesInThread(
  services: Services,
  scheduler: Scheduler,
  name: string,
): { readonly services: Services; close(): void } {
  const [asking, answering] = channelPair(scheduler, name);
  serve(answering, SERVICES, services, { remember: REMEMBER });
  return { services: askOver(asking), close: asking.close };
}

/** The request's own ID is its key: a call, a turn or a run can be requested once per kind. */
function askOver(channel: Channel): Services {
  const caller = new Caller(SERVICES, { clock: systemClock, peer: "the supervisor" });
  caller.attach(channel);
  const ask = async <M extends Method>(
    method: M,
    question: RequestOf<typeof SERVICES, M>,
    key?: string,
  ): Promise<ResponseOf<typeof SERVICES, M>> => {
    const result = await caller.call(method, question, key === undefined ? {} : { key });
    if (result.ok) return result.value;
    throw result.kind === "gone" ? new PeerGone("the supervisor") : new Error(result.message);
  };
  return {
    before: (call) => ask("before", call, call.id),
    after: (call) => ask("after", call, call.id),
    callTool: (call) => ask("callTool", call, call.id),
    reply: (reply) => ask("reply", reply, String(reply.turn)),
    yield: (open) => ask("yield", open),
    model: (count) => ask("model", count, String(count)),
    turn: (turn) => ask("turn", turn, String(turn.turn)),
    finish: (finish) => ask("finish", finish),
    compacting: (begin) => ask("compacting", begin),
    compacted: (end) => ask("compacted", end),
    hidden: (found) => ask("hidden", found, found.call),
    run: (request) => ask("run", request, request.id),
    command: (request) => ask("command", request, request.call),
    background: (request) => ask("background", request, request.call),
  };
}
