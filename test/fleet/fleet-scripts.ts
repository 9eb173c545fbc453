import { expect, onTestFinished, vi } from "vitest";
import type { OwnServer } from "../support/engine-servers.ts";
import { type AgentScript, effect } from "../support/fleet-processes.ts";
import type { Supervised } from "../support/supervised.ts";

/** Real processes on a machine that others use as well. */
export const PATIENT = { timeout: 300_000 };

export async function ownServer(starting: Promise<OwnServer>): Promise<OwnServer> {
  const server = await starting;
  onTestFinished(() => server.close());
  return server;
}

/** Three effects, each in a turn of its own, then a report. `at`: before the reply of a turn. */
export function threeEffects(
  at: (agent: string, turn: number) => Promise<void> | void = () => {},
): AgentScript {
  return async (agent, turn) => {
    await at(agent, turn);
    return turn < 3 ? effect(`${agent}-${turn}`) : { text: `${agent} is done.` };
  };
}

export function effectsOf(...agents: string[]): string[] {
  return agents.flatMap((agent) => [0, 1, 2].map((n) => `${agent}-${n}`));
}

/** By name: each agent's runner, the number of its attempt, and how it ended. */
export function attemptsOf({ supervisor }: Pick<Supervised, "supervisor">) {
  return supervisor
    .tree()
    .filter(({ id }) => id !== "main")
    .sort((a, b) => a.description.localeCompare(b.description))
    .map(({ description, runner, attempt, summary }) => ({
      ...{ description, runner, attempt: attempt ?? 1, status: summary?.status },
    }));
}

export async function until(holds: () => boolean): Promise<void> {
  await vi.waitUntil(holds, { timeout: 120_000, interval: 50 });
}

/** Resolves when so many requests of agents wait for their turn. */
export function meeting(count: number) {
  const met = Promise.withResolvers<void>();
  let missing = count;
  return {
    met: met.promise,
    arrive() {
      missing -= 1;
      if (missing === 0) met.resolve();
    },
  };
}

export async function expectDone(ending: ReturnType<Supervised["supervisor"]["prompt"]>): Promise<void> {
  const { status, reason } = (await ending).summary;
  expect({ status, reason }).toEqual({ status: "done", reason: undefined });
}
