import { runActor } from "../../src/actors/actor.ts";
import { checkData } from "../../src/actors/check-data.ts";
import type { ActorHandle, ActorHost, ActorStart, Exit, Vitals } from "../../src/actors/hosts.ts";
import { UNKNOWN_VITALS } from "../../src/actors/hosts.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { errorMessage } from "../../src/lib/errors.ts";
import type { ActorId } from "../../src/mailbox/ids.ts";
import { PeerGone, type Services } from "../../src/mailbox/services.ts";
import { GatewayClient } from "../../src/model/gateway-client.ts";
import { agentTools } from "../../src/tools/index.ts";
import { moduleTool } from "../../src/tools/tool-module.ts";
import type { Scheduler } from "./scheduler.ts";

/**
 * Runs actors without any other thread. What they ask and are answered is copied and arrives in any order of the
 * scheduler, as over a network. A test sets their vitals.
 */
export function inThreadHost(
  scheduler: Scheduler,
  vitalsOf: (actor: ActorId) => Vitals = () => UNKNOWN_VITALS,
): ActorHost {
  const running = new Set<ActorHandle>();
  return {
    start(start) {
      const handle = { ...run(start, scheduler), vitals: () => vitalsOf(start.spec.id) };
      running.add(handle);
      void handle.exited.then(() => running.delete(handle));
      return handle;
    },
    warm() {},
    load: () => ({ threads: running.size, waiting: 0 }),
    async close() {
      for (const handle of running) handle.terminate();
      await Promise.all([...running].map(({ exited }) => exited));
    },
  };
}

const own = new Map(agentTools.map((tool) => [tool.name, tool]));

function run(start: ActorStart, scheduler: Scheduler): Omit<ActorHandle, "vitals"> {
  const { id } = start.spec;
  const cancelled = new AbortController();
  const over = new AbortController();
  const { promise: exited, resolve } = Promise.withResolvers<Exit>();
  const end = (exit: Exit) => {
    over.abort();
    lane.close();
    resolve(exit);
  };
  const services = scheduled(start.services, scheduler, id, over.signal);
  let lanes = 0;
  const lane = new GatewayClient(start.connect(), () => services.model(++lanes));
  runActor({
    ...{
      spec: structuredClone(start.spec),
      services,
      model: lane,
      check: async (schema, value) => checkData(schema, value),
      clock: systemClock,
    },
    tools: ({ name, module }) => (module ? moduleTool(name, module) : own.get(name)),
    signal: cancelled.signal,
    report: (report) =>
      scheduler.post(`${id}:reports`, () => {
        if (!over.signal.aborted) start.onReport(report);
      }),
  }).then(
    () => end({ type: "returned" }),
    (error: unknown) => end({ type: "threw", message: errorMessage(error) }),
  );
  return {
    exited,
    watch: lane.watch.bind(lane),
    cancel: (reason) => scheduler.post(`${id}:cancel`, () => cancelled.abort(new Error(reason))),
    terminate: () => end({ type: "terminated" }),
  };
}

/** Questions arrive in their order, and answers in theirs. */
function scheduled(services: Services, scheduler: Scheduler, name: string, over: AbortSignal): Services {
  const lane =
    <Q, A>(answer: (question: Q) => Promise<A>, copies = true) =>
    (question: Q): Promise<A> =>
      new Promise((resolve, reject) => {
        if (over.aborted) return reject(new PeerGone("the supervisor"));
        const copy = structuredClone(question);
        const come = (settle: () => void) =>
          scheduler.post(`${name}:answers`, () =>
            over.aborted ? reject(new PeerGone("the supervisor")) : settle(),
          );
        scheduler.post(`${name}:questions`, () => {
          answer(copy).then(
            (given) => come(() => resolve(copies ? structuredClone(given) : given)),
            (error: unknown) => come(() => reject(new Error(errorMessage(error)))),
          );
        });
      });
  return {
    before: lane(services.before),
    after: lane(services.after),
    callTool: lane(services.callTool),
    reply: lane(services.reply),
    // A port is handed over, not copied.
    model: lane(services.model, false),
    turn: lane(services.turn),
    finish: lane(services.finish),
    compacting: lane(services.compacting),
    compacted: lane(services.compacted),
    hidden: lane(services.hidden),
    run: lane(services.run),
    command: lane(services.command),
    background: lane(services.background),
  };
}
