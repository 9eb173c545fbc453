import { MessageChannel, type MessagePort } from "node:worker_threads";
import { type Clock, systemClock } from "../mailbox/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { Gateway, GatewayNotice, ModelClient } from "./client.ts";
import { serveLane } from "./gateway-server.ts";

export interface GatewayOptions {
  readonly clock?: Clock;
}

/** A gateway on the caller's own thread: for scripted models and a library user's own client. */
export function localGateway(client: ModelClient, options: GatewayOptions = {}): Gateway {
  const clock = options.clock ?? systemClock;
  const lanes = new Map<ActorId, MessagePort>();
  let notify: (notice: GatewayNotice) => void = () => {};

  const disconnect = (actor: ActorId) => {
    lanes.get(actor)?.close();
    lanes.delete(actor);
  };

  return {
    connect(actor, lead) {
      // A new lane of the same actor is a new attempt; requests of the old one are nobody's.
      disconnect(actor);
      const { port1, port2 } = new MessageChannel();
      serveLane(
        port1,
        { actor, lead },
        {
          ask: (request, _lead, on, signal) => client.ask(request, on, signal),
          clock,
          onNotice: (notice) => notify(notice),
        },
      );
      lanes.set(actor, port1);
      return port2;
    },
    disconnect,
    onNotice(listener) {
      notify = listener;
    },
    // It lives on the caller's thread, so it cannot die by itself.
    onClosed() {},
    async close() {
      for (const actor of [...lanes.keys()]) disconnect(actor);
    },
  };
}
