import { onTestFinished } from "vitest";
import type { Carrier } from "../../src/engine/carrier.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { ActorId } from "../../src/mailbox/ids.ts";
import type { ActorSpec } from "../../src/mailbox/messages.ts";
import { localGateway } from "../../src/model/gateway-server.ts";
import { type Script, type ScriptedModel, scriptedModel } from "../../src/model/scripted.ts";
import { startProcesses } from "../../src/processes/client.ts";
import { AgentForks } from "../../src/runner/agent-fork.ts";
import { repositoryFiles } from "../../src/runner/attempt-files.ts";
import { openRunner, type Runner, type RunnerOptions } from "../../src/runner/runner.ts";
import { Toolbox } from "../../src/tools/toolbox.ts";
import { RunnerRepositories } from "../../src/worktrees/runner/repositories.ts";
import { seededBy } from "../faults/seeded.ts";
import { FakeSession, plainSealer } from "../support/fake-session.ts";
import { type Faults, MemoryEngine } from "../support/memory-carrier.ts";
import { temporaryFolder } from "../support/temporary.ts";

export interface Ground {
  readonly session: FakeSession;
  readonly runner: Runner;
  readonly carrier: Carrier;
  readonly engine: MemoryEngine;
  readonly model: ScriptedModel;
  readonly lines: string[];
  /** The processes of agents, in the order in which they began. */
  readonly pids: number[];
  /** The agent's directory. */
  readonly dir: string;
  spec(more?: Partial<ActorSpec>): ActorSpec;
}

interface GroundOptions {
  readonly memoryMb?: number;
  readonly faults?: Faults;
}

let agents = 0;

/** A clock that is so many times as fast. */
export function fasterClock(times: number): Clock {
  return {
    ...{ now: () => systemClock.now() * times, date: systemClock.date },
    after: (ms, call) => systemClock.after(ms / times, call),
  };
}

export const quick = fasterClock(50);

/** A runner with real processes over a scripted model, and a session that only answers. */
export async function openGround(
  script: Script,
  { memoryMb = 128, faults = {}, ...given }: Partial<RunnerOptions> & GroundOptions = {},
): Promise<Ground> {
  const engine = new MemoryEngine({ faults, random: seededBy(5).next, clock: given.clock ?? systemClock });
  const session = new FakeSession(engine.connect("session"), plainSealer("fleet"), given.clock);
  await session.open();
  const carrier = engine.connect("runner");
  const model = scriptedModel(script);
  const gateway = localGateway(model, { patienceMs: 0 });
  const processes = startProcesses({ env: process.env });
  const home = temporaryFolder();
  const lines: string[] = [];
  const pids: number[] = [];
  const forks = new AgentForks({ clock: systemClock, memoryMb, user: undefined });
  const runner = await openRunner({
    ...{ id: "r1", name: "r1", version: "1", pools: ["default"], slots: 4, clock: systemClock },
    openGateway: () => gateway,
    ...{ carrier, gateway, processes, home, trees: home, sandbox: {}, sandboxState: "off", once: false },
    forks: {
      warm: () => forks.warm(),
      take() {
        const taken = forks.take();
        pids.push(taken.pid ?? 0);
        return taken;
      },
      close: () => forks.close(),
    },
    sealerOf: () => plainSealer("fleet"),
    files: repositoryFiles(new RunnerRepositories(temporaryFolder())),
    user: undefined,
    onLine: (line) => lines.push(line),
    onWarning: (line) => lines.push(line),
    ...given,
  });
  onTestFinished(async () => {
    runner.drain();
    runner.drain();
    await runner.ended;
    await gateway.close();
    await processes.close();
  });
  const dir = temporaryFolder();
  return {
    ...{ session, runner, carrier, engine, model, lines, pids, dir },
    spec: (more = {}) => specFor(dir, more),
  };
}

/** An agent with the tools that run where its files are. */
export function specFor(dir: string, more: Partial<ActorSpec>): ActorSpec {
  const toolbox = new Toolbox(() => false);
  toolbox.fill({ ours: [], custom: [] });
  agents += 1;
  return {
    ...{ id: ActorId.parse(`agent${agents}`), parent: ActorId.parse("main"), depth: 1, attempt: 1 },
    ...{ type: "general-purpose", description: "works", system: ["You work."], model: "scripted" },
    tools: toolbox.select("all", []),
    ...{ maxTokens: 1_000, maxTurns: 20, root: dir, additionalDirs: [], turns: [], heard: [] },
    messages: [{ role: "user", content: "work" }],
    ...more,
  };
}
