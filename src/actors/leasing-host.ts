import { type Clock, systemClock } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { PeerGone, type Services } from "../mailbox/services.ts";
import { type EncodeMessage, messageEncoder } from "../model/conversation-transfer.ts";
import { GatewayClient } from "../model/gateway-client.ts";
import type { SealedTool } from "../tools/bind-tool.ts";
import type { OwnTools } from "../tools/dispatch.ts";
import { agentTools } from "../tools/index.ts";
import { threadTools } from "../tools/thread-tools.ts";
import type { AgentCallContext } from "../tools/tool.ts";
import { moduleTool } from "../tools/tool-module.ts";
import { runActor } from "./actor.ts";
import type { ActorHandle, ActorHost, ActorStart, Exit } from "./hosts.ts";
import { Lease } from "./lease.ts";
import { ThreadPool, type ThreadPoolOptions } from "./tool-threads.ts";

/**
 * Runs actors: their loops here, and the calls that read or change files in threads, which an actor leases only while such
 * a call runs.
 */
export function leasingHost(options: ThreadPoolOptions): ActorHost {
  const clock = options.clock ?? systemClock;
  const pool = new ThreadPool(options);
  const encode = messageEncoder();
  const running = new Set<ActorHandle>();
  let closed = false;
  return {
    start(start) {
      const handle = runLeasing(start, pool, clock, encode);
      running.add(handle);
      void handle.exited.then(() => running.delete(handle));
      if (closed) handle.terminate();
      return handle;
    },
    warm: (tool) => {
      if (leasing.has(tool)) pool.warm();
    },
    load: () => pool.load,
    async close() {
      closed = true;
      for (const handle of running) handle.terminate();
      await Promise.all([pool.close(), ...[...running].map(({ exited }) => exited)]);
    },
  };
}

const leasing: ReadonlySet<string> = new Set(threadTools.map(({ name }) => name));

function runLeasing(start: ActorStart, pool: ThreadPool, clock: Clock, encode: EncodeMessage): ActorHandle {
  const cancelled = new AbortController();
  const exit = Promise.withResolvers<Exit>();
  const end = (how: Exit) => {
    exit.resolve(how);
    over.abort();
    model.close();
    for (const lease of leases) lease.end();
  };
  const over = new AbortController();
  const services = untilOver(start.services, over.signal);
  const common = { pool, services, clock, signal: cancelled.signal, onLost: end };
  const lease = new Lease({ ...common, isOwn: start.spec.thread === "own" });
  const own = new Lease({ ...common, isOwn: true });
  const leases = [lease, own];
  const built = new Map<string, Pick<SealedTool<AgentCallContext>, "prepare">>(
    agentTools.map((tool) => [
      tool.name,
      leasing.has(tool.name)
        ? lease.tool(tool, { tool: tool.name, writes: tool.permissionLevel !== "read" })
        : tool,
    ]),
  );
  const tools: OwnTools = ({ name, module }) =>
    module ? own.tool(moduleTool(name, module), { tool: name, module, writes: false }) : built.get(name);
  let ports = 0;
  const model = new GatewayClient(start.connect(), () => services.model(++ports), clock, encode);
  // Not before its handle is known: what it reports may lead to its end.
  const run = async () =>
    runActor({
      ...{
        spec: start.spec,
        services,
        model,
        tools,
        check: lease.check,
        clock,
        signal: cancelled.signal,
      },
      report: (report) => {
        if (!over.signal.aborted) start.onReport(report);
      },
    });
  Promise.resolve()
    .then(run)
    .then(
      () => end({ type: "returned" }),
      (error: unknown) => end({ type: "threw", message: errorMessage(error) }),
    );
  return {
    exited: exit.promise,
    watch: model.watch.bind(model),
    cancel: (reason) => cancelled.abort(new Error(reason)),
    terminate: () => end({ type: "terminated" }),
    vitals: () => (own.vitals().type === "unknown" ? lease.vitals() : own.vitals()),
  };
}

/** An actor that has ended can request nothing more, whatever of its loop is still pending. */
function untilOver(services: Services, over: AbortSignal): Services {
  const gone = () => {
    if (over.aborted) throw new PeerGone("the supervisor");
  };
  const bounded = Object.entries(services).map(([name, serve]) => [
    name,
    async (question: never) => {
      gone();
      const answer: unknown = await serve(question);
      gone();
      return answer;
    },
  ]);
  // Each function has its name and its types again.
  return Object.fromEntries(bounded) as Services;
}
