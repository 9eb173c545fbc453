import { parentPort } from "node:worker_threads";
import { systemClock } from "../lib/clock.ts";
import { Caller } from "../mailbox/rpc/caller.ts";
import { portChannel } from "../mailbox/rpc/channel.ts";
import { receive, sender } from "../mailbox/rpc/server.ts";
import type { GatewayNotice, ModelClient, Reserve } from "./client.ts";
import type { GatewayConfig } from "./gateway.ts";
import { budgetRequests, gatewayNotices, type reportNotices } from "./gateway-messages.ts";
import { AgentPorts, serveAgent } from "./gateway-server.ts";
import { governed } from "./governor.ts";
import { Meter } from "./meter.ts";
import { openProvider } from "./open-provider.ts";

/** The interval of heartbeats of an open request. */
const BEAT_MS = 10_000;

/** Entry of the gateway's thread: one client, one pool of connections, one governor for all agents. */
function main(config: GatewayConfig, port: NonNullable<typeof parentPort>): void {
  // Loading starts immediately; requests wait for it.
  const client = later(openProvider(config));
  const channel = portChannel(port);
  const report = sender<typeof reportNotices>(channel);
  const onNotice = (notice: GatewayNotice) => report("report", notice);
  const session = new Caller(budgetRequests, { clock: systemClock, peer: "The session" });
  session.attach(channel);
  const reserve: Reserve = async (request, signal) => {
    // What was granted before the cancel arrived has to be given back.
    const reserved = await session.call("reserve", request, { signal, waitsForCancel: true });
    return reserved.ok ? reserved.value : { type: "refused", reason: reserved.message };
  };
  let metered = false;
  const meter = new Meter({
    ...{ clock: systemClock, onNotice, countTokens: client.countTokens },
    reserve: () => (metered ? reserve : null),
  });
  const ask = governed(client, {
    clock: systemClock,
    random: Math.random,
    ...config.limits,
    pauses: config.pauses ?? [],
    promptCaching: config.source.provider === "anthropic" && config.source.promptCaching !== false,
    meter,
  });
  const ports = new AgentPorts();

  receive(channel, gatewayNotices, {
    meter() {
      metered = true;
    },
    connect({ actor, lead, side, port }) {
      ports.add(actor, port, side);
      serveAgent(
        port,
        { actor, lead },
        {
          ...{ ask, countTokens: client.countTokens, clock: systemClock },
          ...{ onNotice, beatMs: BEAT_MS },
        },
      );
    },
    disconnect: (actor) => ports.close(actor),
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
