import type { MessagePort } from "node:worker_threads";
import * as z from "zod/mini";
import { errorMessage } from "../lib/errors.ts";
import { systemClock } from "../mailbox/clock.ts";
import { portMailbox } from "../mailbox/mailbox.ts";
import { ActorSpec, type FromAgent, ToAgent } from "../mailbox/messages.ts";
import { servicesOver } from "../mailbox/service-rpc.ts";
import { joinHistory, type Parted } from "../mailbox/shared-history.ts";
import { gatewayClient } from "../model/gateway-client.ts";
import { agentTools } from "../tools/index.ts";
import { runActor } from "./actor.ts";

/** A task of a pool thread. `warm` only proves that the thread is running and this file is loaded. */
export type WorkerTask =
  | { readonly type: "warm" }
  | {
      readonly type: "act";
      readonly spec: unknown;
      /** The history that its messages and others' start with. */
      readonly shared?: Parted["shared"];
      readonly services: MessagePort;
      readonly mail: MessagePort;
      readonly model: MessagePort;
      /** Whatever arrives here is sent back, which proves that the thread's loop runs. */
      readonly pulse: MessagePort;
    };

/** A raw error must not cross: a pool loses its class, and one that cannot be cloned kills the thread. */
export type WorkerAnswer = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** The entry of every agent thread: one task at a time; the thread is reused after a clean end. */
export default async function work(task: WorkerTask): Promise<WorkerAnswer> {
  if (task.type === "warm") return { ok: true };
  const { services, mail, model, pulse, shared } = task;
  pulse.on("message", (beat) => pulse.postMessage(beat));
  const asker = servicesOver(services);
  let lanes = 0;
  const lane = gatewayClient(model, () => asker.model(++lanes));
  try {
    const spec = z.parse(ActorSpec, task.spec);
    await runActor({
      spec: { ...spec, messages: joinHistory({ ...(shared ? { shared } : {}), messages: spec.messages }) },
      services: asker,
      mail: portMailbox<ToAgent, FromAgent>(mail, { incoming: ToAgent }),
      model: lane,
      tools: agentTools,
      clock: systemClock,
    });
    return { ok: true };
  } catch (error) {
    return { ok: false, message: errorMessage(error) };
  } finally {
    lane.close();
    for (const port of [services, mail, pulse]) port.close();
  }
}
