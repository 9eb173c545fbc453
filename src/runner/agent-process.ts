import { writeFileSync } from "node:fs";
import { runActor } from "../actors/actor.ts";
import { systemClock } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import type { ActorSpec } from "../mailbox/messages.ts";
import { Caller } from "../mailbox/rpc/caller.ts";
import { parentChannel } from "../mailbox/rpc/channel.ts";
import type { Result } from "../mailbox/rpc/frames.ts";
import { receive, sender } from "../mailbox/rpc/server.ts";
import type { RequestOf, ResponseOf } from "../mailbox/rpc/table.ts";
import { PeerGone, type Services } from "../mailbox/services.ts";
import { GatewayClient } from "../model/gateway-client.ts";
import { agentTools } from "../tools/index.ts";
import { type agentReports, agentRequests, ModelPorts, processNotices } from "./agent-messages.ts";

/** The kernel ends this process before the runner and its neighbours' commands. */
const OOM_SCORE = "500";

/**
 * The process of one attempt of an agent. Its loop and its tools run here, and everything else is requested of the runner:
 * it has no key, no rules and no connection. It ends with its runner.
 */
function main(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", OOM_SCORE);
  } catch {
    // Not Linux.
  }
  const channel = parentChannel();
  channel.onClose(() => process.exit());
  const requests = new Caller(agentRequests, { clock: systemClock, peer: "The runner" });
  requests.attach(channel);
  const notify = sender<typeof agentReports>(channel);
  const ports = new ModelPorts((message) => notify("model", message));
  const cancelled = new AbortController();
  let model: GatewayClient | null = null;
  let isWatched = false;

  const begin = async (spec: ActorSpec) => {
    const services = servicesOf(requests, () => ports.open());
    model = new GatewayClient(ports.open(), () => services.model(0));
    model.watch(isWatched);
    await runActor({
      ...{ spec, services, model, clock: systemClock, signal: cancelled.signal },
      tools: ({ name, module }) => (module ? undefined : agentTools.find((tool) => tool.name === name)),
      check: async (schema, value) => (await import("../actors/check-data.ts")).checkData(schema, value),
      report: (report) => notify("report", report),
    });
  };

  receive(channel, processNotices, {
    begin(spec) {
      begin(spec).then(
        () => notify("ended", { type: "returned" }),
        (error: unknown) => notify("ended", { type: "threw", message: errorMessage(error) }),
      );
    },
    cancel: (reason) => cancelled.abort(new Error(reason)),
    watch(on) {
      isWatched = on;
      model?.watch(on);
    },
    model: (message) => ports.receive(message),
  });
}

/** The services of an agent, with all but the model at the other end of a channel. */
function servicesOf(
  requests: Caller<typeof agentRequests>,
  model: () => ReturnType<ModelPorts["open"]>,
): Services {
  const remote =
    <M extends keyof typeof agentRequests>(method: M) =>
    async (body: RequestOf<typeof agentRequests, M>): Promise<ResponseOf<typeof agentRequests, M>> =>
      unwrap(await requests.call(method, body));
  return {
    ...{ before: remote("before"), after: remote("after"), callTool: remote("callTool") },
    ...{ reply: remote("reply"), turn: remote("turn"), finish: remote("finish") },
    ...{ compacting: remote("compacting"), compacted: remote("compacted"), hidden: remote("hidden") },
    ...{ run: remote("run"), command: remote("command"), background: remote("background") },
    model: async () => model(),
  };
}

function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  if (result.kind === "gone") throw new PeerGone("the runner");
  throw new Error(result.message);
}

// Only as a process of a runner.
if (process.send) main();
