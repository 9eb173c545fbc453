import type { MessagePort, Worker } from "node:worker_threads";
import type { Reservation, Reserve } from "./client.ts";
import type { FromGatewayThread, ToGatewayThread } from "./gateway-messages.ts";

type ReserveMessage = Extract<FromGatewayThread, { type: "reserve" | "withdraw" }>;

/** The session's side of the reservations that a gateway's thread asks for. Closed when that thread ends. */
export function reserveDesk(
  thread: Pick<Worker, "postMessage">,
  reserve: () => Reserve | null,
): { take(message: ReserveMessage): void; close(): void } {
  const open = new Map<number, AbortController>();
  const answer = async (message: Extract<ReserveMessage, { type: "reserve" }>, abort: AbortController) => {
    const none: Reservation = { type: "refused", reason: "No budget is there to be asked." };
    const reserved = (await reserve()?.(message.request, abort.signal)) ?? none;
    open.delete(message.n);
    thread.postMessage({ type: "reserved", n: message.n, answer: reserved } satisfies ToGatewayThread);
  };
  return {
    take(message) {
      if (message.type === "withdraw") return open.get(message.n)?.abort();
      const abort = new AbortController();
      open.set(message.n, abort);
      void answer(message, abort);
    },
    close() {
      for (const abort of open.values()) abort.abort();
    },
  };
}

/** The gateway thread's end: each wish has one answer, which comes also when it is withdrawn. */
export function reserveLane(port: Pick<MessagePort, "postMessage">): {
  readonly reserve: Reserve;
  answered(n: number, answer: Reservation): void;
} {
  const open = new Map<number, (answer: Reservation) => void>();
  let counter = 0;
  return {
    reserve: (request, signal) =>
      new Promise((resolve) => {
        const n = counter++;
        const withdraw = () => port.postMessage({ type: "withdraw", n } satisfies FromGatewayThread);
        open.set(n, (answer) => {
          signal.removeEventListener("abort", withdraw);
          resolve(answer);
        });
        signal.addEventListener("abort", withdraw, { once: true });
        port.postMessage({ type: "reserve", n, request } satisfies FromGatewayThread);
      }),
    answered(n, answer) {
      open.get(n)?.(answer);
      open.delete(n);
    },
  };
}
