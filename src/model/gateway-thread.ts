import { parentPort } from "node:worker_threads";
import { systemClock } from "../lib/clock.ts";
import { Caller } from "../mailbox/rpc/caller.ts";
import { portChannel } from "../mailbox/rpc/channel.ts";
import { receive, sender } from "../mailbox/rpc/server.ts";
import type { ModelClient, Reserve } from "./client.ts";
import type { GatewayConfig } from "./gateway.ts";
import { budgetRequests, gatewayNotices, type reportNotices } from "./gateway-messages.ts";
import { localGateway } from "./gateway-server.ts";
import { openProvider } from "./open-provider.ts";

/** The interval of heartbeats of an open request. */
const BEAT_MS = 10_000;

/** Entry of the gateway's thread: one client, one pool of connections, one governor for all agents. */
function main(config: GatewayConfig, port: NonNullable<typeof parentPort>): void {
  // Loading starts immediately; requests wait for it.
  const client = later(openProvider(config));
  const channel = portChannel(port);
  const report = sender<typeof reportNotices>(channel);
  const session = new Caller(budgetRequests, { clock: systemClock, peer: "The session" });
  session.attach(channel);
  const reserve: Reserve = async (request, signal) => {
    // What was granted before the cancel arrived has to be given back.
    const reserved = await session.call("reserve", request, { signal, waitsForCancel: true });
    return reserved.ok ? reserved.value : { type: "refused", reason: reserved.message };
  };
  const gateway = localGateway(client, {
    ...config.limits,
    pauses: config.pauses ?? [],
    promptCaching: config.source.provider === "anthropic" && config.source.promptCaching !== false,
    beatMs: BEAT_MS,
  });
  gateway.onNotice((notice) => report("report", notice));
  receive(channel, gatewayNotices, {
    meter: () => gateway.meter(reserve),
    connect: ({ actor, lead, side, port }) => gateway.serve(port, actor, lead, side),
    disconnect: (actor) => gateway.disconnect(actor),
  });
}

function later(loading: Promise<ModelClient>): ModelClient {
  return {
    name: "gateway",
    ask: async (request, on, signal, onAnswer) => (await loading).ask(request, on, signal, onAnswer),
    countTokens: async (request, signal) => (await loading).countTokens?.(request, signal) ?? null,
  };
}

const port = parentPort;
port?.once("message", (config: GatewayConfig) => main(config, port));
// Most sessions need it, and it loads while the program still reads its settings.
void import("./anthropic.ts");
process.getBuiltinModule("node:https");
