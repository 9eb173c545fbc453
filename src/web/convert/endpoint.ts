import type { Endpoint } from "comlink";

type Listener = Parameters<Endpoint["addEventListener"]>[1];

/** A worker, or in it the port to its parent. */
interface ThreadPort {
  postMessage(message: unknown): void;
  on(event: "message", listener: (data: unknown) => void): unknown;
  off(event: "message", listener: (data: unknown) => void): unknown;
}

/** Makes an endpoint for comlink without DOM events: for a thread's first event, Node would load all of its fetch. */
export function endpointOf(port: ThreadPort): Endpoint {
  const heard = new Map<Listener, (data: unknown) => void>();
  return {
    postMessage: (message) => port.postMessage(message),
    addEventListener(_type, listener) {
      const hear = (data: unknown) =>
        typeof listener === "function" ? listener({ data }) : listener.handleEvent({ data });
      heard.set(listener, hear);
      port.on("message", hear);
    },
    removeEventListener(_type, listener) {
      port.off("message", heard.get(listener) ?? (() => {}));
      heard.delete(listener);
    },
  };
}
