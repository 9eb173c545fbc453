import type { ActorHost } from "../../../src/actors/hosts.ts";
import { leasingHost } from "../../../src/actors/leasing-host.ts";
import type { ContextWindow } from "../../../src/mailbox/compacted.ts";
import type { ActorSpec } from "../../../src/mailbox/messages.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import { inThreadHost } from "../../support/in-thread-host.ts";
import { seededScheduler } from "../../support/scheduler.ts";
import { type HostName, seeded } from "../../support/supervised.ts";

/** The same host, where each actor's window is what the test says. */
export function windowed(name: HostName, windowOf: (spec: ActorSpec) => ContextWindow): ActorHost {
  const host =
    name === "in-thread" ? inThreadHost(seededScheduler(seeded(11))) : leasingHost({ onFault: () => {} });
  return {
    ...host,
    start: (start) => host.start({ ...start, spec: { ...start.spec, window: windowOf(start.spec) } }),
  };
}

export const isSummaryRequest = ({ messages }: Pick<ModelRequest, "messages">) =>
  JSON.stringify(messages.at(-1)).includes("Write under these headings");

/** As a server would count: four characters to a token. */
export function tokensIn({ system, tools, messages }: Pick<ModelRequest, "system" | "tools" | "messages">) {
  return Math.ceil(JSON.stringify([system, tools, messages]).length / 4);
}

/** Calls in the conversation so far, by what the last one says. */
export function stepIn({ messages }: Pick<ModelRequest, "messages">): number {
  const steps = [...JSON.stringify(messages).matchAll(/step-(\d+)-/g)].map(([, step]) => Number(step));
  return Math.max(0, ...steps);
}
