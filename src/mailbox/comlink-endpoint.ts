import type { MessagePort } from "node:worker_threads";
import type { Endpoint } from "comlink";

type Listener = Parameters<Endpoint["addEventListener"]>[1];

/**
 * A port as comlink wants it, without DOM events: for the first of those that a thread receives, Node loads
 * all of its fetch, because the class MessageEvent lives there. That took 15 to 20 ms of each agent's CPU
 * time. comlink reads nothing of an event but its `data`.
 */
export function comlinkEndpoint(port: MessagePort): Endpoint {
  const heard = new Map<Listener, (data: unknown) => void>();
  return {
    postMessage: (message, transfer = []) => port.postMessage(message, transfer),
    addEventListener(_type, listener) {
      const hear = (data: unknown) => {
        const event = { data };
        if (typeof listener === "function") listener(event);
        else listener.handleEvent(event);
      };
      heard.set(listener, hear);
      port.on("message", hear);
    },
    removeEventListener(_type, listener) {
      const hear = heard.get(listener);
      heard.delete(listener);
      if (hear) port.off("message", hear);
    },
    start: () => port.start(),
  };
}
