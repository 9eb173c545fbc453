import { MessageChannel, type Worker } from "node:worker_threads";
import { type Clock, systemClock } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { Restarts } from "../lib/restarts.ts";
import { type StartThread, startThread } from "../lib/threads.ts";
import type { ModelPause } from "../mailbox/model.ts";
import { workerChannel } from "../mailbox/rpc/channel.ts";
import { receive, sender, serve } from "../mailbox/rpc/server.ts";
import type { Gateway, GatewayNotice, Reservation, Reserve } from "./client.ts";
import { GATEWAY_THREAD } from "./gateway-kind.ts";
import { budgetRequests, type gatewayNotices, reportNotices } from "./gateway-messages.ts";
import type { GatewayLimits } from "./governor.ts";
import type { Aliases, AvailableModels } from "./model-names.ts";

/** The initial data of a gateway thread. */
export interface GatewayConfig {
  readonly source:
    | {
        readonly provider: "anthropic";
        readonly apiKey?: string;
        readonly authToken?: string;
        readonly baseURL?: string;
        readonly headers?: Readonly<Record<string, string>>;
        readonly promptCaching?: boolean;
      }
    | { readonly provider: "openai"; readonly apiKey?: string; readonly baseURL?: string }
    | { readonly provider: "offline" };
  readonly aliases?: Aliases;
  /** No request is sent to another model. */
  readonly availableModels?: AvailableModels;
  readonly limits?: GatewayLimits & { readonly idleMs?: number };
  /** How models were held when the session was left, or the thread before this one ended. */
  readonly pauses?: readonly ModelPause[];
  /** Variables that say how to reach a server; see `proxyVariables`. */
  readonly env?: Readonly<Record<string, string>>;
}

const PROXY_NAMES = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];

/** Returns what an environment says about proxies: all that the gateway needs of it. */
export function proxyVariables(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const names = PROXY_NAMES.flatMap((name) => [name, name.toLowerCase()]);
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

export interface ThreadGatewayOptions {
  readonly clock?: Pick<Clock, "now">;
  readonly startThread?: StartThread;
}

type NotifyThread = ReturnType<typeof sender<typeof gatewayNotices>>;

const NO_BUDGET: Reservation = { type: "refused", reason: "There is no budget to reserve from." };

/**
 * Returns a gateway in its own thread, so that its client, connections and garbage slow down no other thread. When the
 * thread dies, every port closes and another thread starts; agents request new ports and send open requests again. If
 * it dies too often, `onClosed` receives the reason and every port stays closed.
 */
export function threadGateway(config: GatewayConfig, options: ThreadGatewayOptions = {}): Gateway {
  const restarts = new Restarts(options.clock ?? systemClock);
  let notify: (notice: GatewayNotice) => void = () => {};
  let notifyClosed: (reason: string) => void = () => {};
  let reserve: Reserve | null = null;
  let running: { readonly worker: Worker; readonly notify: NotifyThread } | undefined;
  const pauses = new Map(config.pauses?.map((pause) => [pause.model, pause]));

  const start = () => {
    const started = (options.startThread ?? startThread)(GATEWAY_THREAD);
    started.postMessage({ ...config, pauses: [...pauses.values()] } satisfies GatewayConfig);
    let fault = "";
    const channel = workerChannel(started);
    serve(channel, budgetRequests, {
      reserve: (request, { signal }) => reserve?.(request, signal) ?? NO_BUDGET,
    });
    receive(channel, reportNotices, {
      report(notice) {
        if (notice.type === "paused") pauses.set(notice.pause.model, notice.pause);
        notify(notice);
      },
    });
    running = { worker: started, notify: sender<typeof gatewayNotices>(channel) };
    if (reserve) running.notify("meter", null);
    started.on("error", (error: unknown) => {
      fault = errorMessage(error);
    });
    // Not at the error: until its exit a dying thread closes the ports that are sent to it, after that they are lost.
    started.on("exit", (code) => {
      if (running?.worker === started) died(fault || `its thread ended with code ${code}`);
    });
  };
  const died = (reason: string) => {
    running = undefined;
    if (!restarts.again()) return notifyClosed(`The model gateway stopped: ${reason}.`);
    try {
      start();
    } catch (error) {
      // The machine has no room for another thread.
      return notifyClosed(
        `The model gateway stopped: ${reason}; it cannot be started again: ${errorMessage(error)}.`,
      );
    }
    notify({ type: "restarted", reason: `The model gateway stopped and was started again: ${reason}.` });
  };
  start();

  return {
    connect(actor, lead, side) {
      const { port1, port2 } = new MessageChannel();
      if (running) running.notify("connect", { actor, lead, side, port: port1 }, { transfer: [port1] });
      else port1.close();
      return port2;
    },
    get isOver() {
      return running === undefined;
    },
    disconnect: (actor) => running?.notify("disconnect", actor),
    onNotice(listener) {
      notify = listener;
    },
    meter(given) {
      if (reserve === null) running?.notify("meter", null);
      reserve = given;
    },
    onClosed(listener) {
      notifyClosed = listener;
    },
    async close() {
      const last = running?.worker;
      running = undefined;
      await last?.terminate();
    },
  };
}
