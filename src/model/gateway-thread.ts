import { parentPort } from "node:worker_threads";
import { systemClock } from "../mailbox/clock.ts";
import type { GatewayNotice, ModelClient } from "./client.ts";
import type { GatewayConfig } from "./gateway.ts";
import type { ToGatewayThread } from "./gateway-messages.ts";
import { serveLane } from "./gateway-server.ts";
import { governed } from "./governor.ts";
import { Lanes } from "./lanes.ts";
import { Meter } from "./meter.ts";
import { reserveLane } from "./reserve-lane.ts";

/** The interval of heartbeats of an open request. */
const BEAT_MS = 10_000;

/** Entry of the gateway's thread: one client, one pool of connections, one governor for all agents. */
function main(config: GatewayConfig, port: NonNullable<typeof parentPort>): void {
  // Loading starts immediately; requests wait for it.
  const client = later(load(config));
  const onNotice = (notice: GatewayNotice) => port.postMessage(notice);
  const reserving = reserveLane(port);
  let metered = false;
  const meter = new Meter({
    ...{ clock: systemClock, onNotice, countTokens: client.countTokens },
    reserve: () => (metered ? reserving.reserve : null),
  });
  const ask = governed(client, {
    clock: systemClock,
    random: Math.random,
    ...config.limits,
    pauses: config.pauses ?? [],
    promptCaching: config.source.provider === "anthropic" && config.source.promptCaching !== false,
    meter,
  });
  const lanes = new Lanes();

  port.on("message", (message: ToGatewayThread) => {
    switch (message.type) {
      case "meter":
        metered = true;
        return;
      case "reserved":
        return reserving.answered(message.n, message.answer);
      case "connect":
        lanes.add(message.actor, message.port, message.side);
        return serveLane(message.port, message, {
          ...{ ask, countTokens: client.countTokens, clock: systemClock },
          ...{ onNotice, beatMs: BEAT_MS },
        });
      case "disconnect":
        return lanes.close(message.actor);
      default:
        message satisfies never;
    }
  });
}

/** Loads only the selected provider. */
async function load({
  source,
  aliases,
  availableModels,
  limits,
  env = {},
}: GatewayConfig): Promise<ModelClient> {
  const options = {
    ...{ ...source, env },
    ...(aliases ? { aliases } : {}),
    ...(availableModels ? { availableModels } : {}),
    ...(limits?.idleMs === undefined ? {} : { idleMs: limits.idleMs }),
  };
  switch (source.provider) {
    case "anthropic": {
      const { anthropicModel } = await import("./anthropic.ts");
      return anthropicModel(options);
    }
    case "openai": {
      const { openaiModel } = await import("./openai.ts");
      return openaiModel(options);
    }
    case "offline": {
      const { offlineModel } = await import("./offline.ts");
      return offlineModel();
    }
    default:
      return source satisfies never;
  }
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
