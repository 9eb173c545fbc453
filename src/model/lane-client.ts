import type { MessagePort } from "node:worker_threads";
import type { ModelClient, ModelFailureKind, ModelOutcome, OnModelEvent } from "./client.ts";
import type { FromGateway, ToGateway } from "./lane.ts";

interface Asked {
  readonly on: OnModelEvent;
  readonly settle: (outcome: ModelOutcome) => void;
}

/**
 * The agent's end of its model lane. A closed port ends every request with a `connection` failure, so that
 * nobody waits for a gateway that is gone. The port keeps the thread alive only while something is asked.
 */
export function laneModel(port: MessagePort): ModelClient {
  const open = new Map<number, Asked>();
  let counter = 0;

  const settle = (id: number, outcome: ModelOutcome) => {
    const asked = open.get(id);
    open.delete(id);
    if (open.size === 0) port.unref();
    asked?.settle(outcome);
  };

  port.on("message", (message: FromGateway) => {
    switch (message.type) {
      case "event":
        return open.get(message.id)?.on(message.event);
      case "outcome":
        return settle(message.id, message.outcome);
      default:
        message satisfies never;
    }
  });
  port.once("close", () => {
    for (const id of [...open.keys()]) settle(id, stopped());
  });
  port.unref();

  return {
    name: "gateway",
    ask: (request, on, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(cancelled());
        port.ref();
        // A closed port cannot be kept alive; its close event may have come before anyone listened.
        if (!port.hasRef()) return resolve(stopped());
        const id = counter++;
        const cancel = () => {
          port.postMessage({ type: "cancel", id } satisfies ToGateway);
          // Answered here: an abort must not wait for a round trip, nor for a gateway that is busy.
          settle(id, cancelled());
        };
        open.set(id, {
          on,
          settle(outcome) {
            signal.removeEventListener("abort", cancel);
            resolve(outcome);
          },
        });
        signal.addEventListener("abort", cancel, { once: true });
        try {
          port.postMessage({ type: "ask", id, request } satisfies ToGateway);
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          settle(id, failure("invalid_request", `The request is not plain data: ${reason}`));
        }
      }),
  };
}

function cancelled(): ModelOutcome {
  return failure("cancelled", "The request was cancelled.");
}

function stopped(): ModelOutcome {
  return failure("connection", "The model gateway stopped before the reply was complete.");
}

function failure(kind: ModelFailureKind, message: string): ModelOutcome {
  return { type: "failure", failure: { kind, message } };
}
