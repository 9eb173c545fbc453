import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { type Clock, systemClock } from "../mailbox/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { Aliases } from "./aliases.ts";
import type { Gateway, GatewayNotice, ModelClient } from "./client.ts";
import { serveLane } from "./gateway-server.ts";
import { governed } from "./governor.ts";
import { Lanes } from "./lanes.ts";

/** Limits of all requests together; see `GovernorOptions` and `AnthropicOptions` for the defaults. */
export interface GatewayLimits {
  /** Requests that run at the same time. */
  readonly concurrency?: number;
  /** Milliseconds a request may be retried in all. */
  readonly patienceMs?: number;
}

export interface LocalGatewayOptions extends GatewayLimits {
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** What a gateway thread is started with: plain data. */
export interface GatewayConfig {
  readonly source:
    | {
        readonly provider: "anthropic";
        readonly apiKey?: string;
        readonly authToken?: string;
        readonly baseURL?: string;
      }
    | { readonly provider: "offline" };
  readonly aliases?: Aliases;
  readonly limits?: GatewayLimits & { readonly idleMs?: number };
}

/** What travels to the gateway's thread; a notice is what comes back. */
export type ToGatewayThread =
  | { readonly type: "connect"; readonly actor: ActorId; readonly lead: boolean; readonly port: MessagePort }
  | { readonly type: "disconnect"; readonly actor: ActorId };

/** A gateway on the caller's own thread: for scripted models and a library user's own client. */
export function localGateway(client: ModelClient, options: LocalGatewayOptions = {}): Gateway {
  const clock = options.clock ?? systemClock;
  const ask = governed(client, { ...options, clock, random: options.random ?? Math.random });
  const lanes = new Lanes();
  let notify: (notice: GatewayNotice) => void = () => {};
  return {
    connect(actor, lead) {
      const { port1, port2 } = new MessageChannel();
      lanes.add(actor, port1);
      serveLane(port1, { actor, lead }, { ask, clock, onNotice: (notice) => notify(notice) });
      return port2;
    },
    disconnect: (actor) => lanes.close(actor),
    onNotice(listener) {
      notify = listener;
    },
    // It lives on the caller's thread, so it cannot die by itself.
    onClosed() {},
    async close() {
      lanes.closeAll();
    },
  };
}

const ENVIRONMENT = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "NODE_USE_ENV_PROXY",
  "NODE_EXTRA_CA_CERTS",
  // Makes the thread start faster, where the caller wants compiled code to be kept.
  "NODE_COMPILE_CACHE",
];

/** What the gateway's thread sees of the environment: how to reach a server, and no key. */
export function gatewayEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    ENVIRONMENT.flatMap((name) => {
      const value = env[name];
      return value ? [[name, value]] : [];
    }),
  );
}

/**
 * A gateway in its own thread: its client, its connections and its garbage slow down nobody else. When the
 * thread dies, every lane closes and `onClosed` is told why.
 */
export function threadGateway(
  config: GatewayConfig,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Gateway {
  // Sources run as they are in development; the bundle has the entry beside it under its built name.
  const entry = import.meta.url.endsWith(".ts") ? "./gateway-thread.ts" : "./gateway-thread.js";
  const worker = new Worker(new URL(entry, import.meta.url), {
    name: "model gateway",
    workerData: config,
    env: gatewayEnvironment(env),
  });
  let notify: (notice: GatewayNotice) => void = () => {};
  let tell: (reason: string) => void = () => {};
  let over = false;
  const died = (reason: string) => {
    if (over) return;
    over = true;
    tell(`The model gateway stopped: ${reason}.`);
  };
  worker.on("message", (notice: GatewayNotice) => notify(notice));
  worker.on("error", (error: unknown) => died(error instanceof Error ? error.message : String(error)));
  worker.on("exit", (code) => died(`its thread ended with code ${code}`));
  const post = (message: ToGatewayThread, transfer: MessagePort[] = []) =>
    worker.postMessage(message, transfer);

  return {
    connect(actor, lead) {
      const { port1, port2 } = new MessageChannel();
      // What is sent to a dead thread is lost without a sound, and the lane would stay open for ever.
      if (over) port1.close();
      else post({ type: "connect", actor, lead, port: port1 }, [port1]);
      return port2;
    },
    disconnect: (actor) => post({ type: "disconnect", actor }),
    onNotice(listener) {
      notify = listener;
    },
    onClosed(listener) {
      tell = listener;
    },
    async close() {
      over = true;
      await worker.terminate();
    },
  };
}
