import { errorMessage } from "../lib/errors.ts";
import { systemClock } from "../mailbox/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import { mailboxPair } from "../mailbox/mailbox-pair.ts";
import { FromAgent, ToAgent } from "../mailbox/messages.ts";
import type { Scheduler } from "../mailbox/scheduler.ts";
import { servicesInThread } from "../mailbox/service-rpc.ts";
import { gatewayClient } from "../model/gateway-client.ts";
import { agentTools } from "../tools/index.ts";
import { runActor } from "./actor.ts";
import {
  type ActorHandle,
  type ActorHost,
  type ActorStart,
  type Exit,
  UNKNOWN_VITALS,
  type Vitals,
} from "./hosts.ts";

/**
 * Runs actors on the caller's own thread, for tests: the same messages, the same copies, any order of arrival.
 * Without a thread to watch, a test sets its vitals.
 */
export function inThreadHost(
  scheduler: Scheduler,
  vitalsOf: (actor: ActorId) => Vitals = () => UNKNOWN_VITALS,
): ActorHost {
  const running = new Set<ActorHandle>();
  return {
    start(start) {
      const handle: ActorHandle = { ...run(start, scheduler), vitals: () => vitalsOf(start.spec.id) };
      running.add(handle);
      handle.exited.then(() => running.delete(handle));
      return handle;
    },
    warm() {},
    load: () => ({ threads: running.size, waiting: 0 }),
    async close() {
      const handles = [...running];
      for (const handle of handles) handle.terminate();
      await Promise.all(handles.map((handle) => handle.exited));
    },
  };
}

function run(
  { spec, services, model }: ActorStart,
  scheduler: Scheduler,
): Pick<ActorHandle, "mail" | "exited" | "terminate"> {
  const { left, right } = mailboxPair({ forLeft: FromAgent, forRight: ToAgent }, scheduler, spec.id);
  const stop = new AbortController();
  const terminated = new Promise<Exit>((resolve) => {
    stop.signal.addEventListener("abort", () => resolve({ type: "terminated" }), { once: true });
  });
  const { services: asker, close } = servicesInThread(services, scheduler, spec.id);
  // An ended actor can send nothing, as if its thread were gone.
  stop.signal.addEventListener("abort", close, { once: true });
  let lanes = 0;
  const lane = gatewayClient(model, () => asker.model(++lanes));
  const ended = runActor({
    spec: structuredClone(spec),
    services: asker,
    mail: right,
    model: lane,
    tools: agentTools,
    clock: systemClock,
  }).then(
    (): Exit => ({ type: "returned" }),
    (error: unknown): Exit => ({
      type: "threw",
      message: errorMessage(error),
    }),
  );
  const exited = Promise.race([ended, terminated]).finally(() => {
    lane.close();
    left.close();
  });
  return { mail: left, exited, terminate: () => stop.abort() };
}
