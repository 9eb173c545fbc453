import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createSeal } from "../../src/engine/seal.ts";
import { openRunners } from "../../src/features/runners/engine-runners.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import { localGateway } from "../../src/model/gateway-server.ts";
import { type Script, type ScriptedTurn, scriptedModel } from "../../src/model/scripted.ts";
import { startProcesses } from "../../src/processes/client.ts";
import { AgentForks, type AgentUser } from "../../src/runner/agent-fork.ts";
import { repositoryFiles } from "../../src/runner/attempt-files.ts";
import { openRunner } from "../../src/runner/runner.ts";
import type { SupervisorOptions } from "../../src/session/options.ts";
import { RunnerRepositories } from "../../src/worktrees/runner/repositories.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { MemoryEngine } from "../support/memory-carrier.ts";
import { needRunnerTrees } from "../support/runner-trees.ts";
import { supervised } from "../support/supervised.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { lastResults } from "../support/texts-of.ts";

const KEY = new Uint8Array(32).fill(7);
export const usage = { input_tokens: 100, output_tokens: 10 };

export interface FleetOptions extends Partial<SupervisorOptions> {
  /** The agent works here, in a worktree of its own. */
  readonly isLocal?: boolean;
  /** `troupe.runners.setup`. */
  readonly setup?: string;
  /** `troupe.runners.remote` of the session. */
  readonly remote?: string;
  /** A file of the checkout that the user's rules deny by its absolute path. */
  readonly denied?: string;
}

interface RunnerStart {
  readonly user?: AgentUser;
  /** Its own `troupe.runners.remote`. */
  readonly remote?: string;
  readonly slots?: number;
  readonly once?: boolean;
  readonly clock?: Clock;
}

/** A session in a repository whose agents run on runners, and the means to start those. */
export async function openFleet(
  agent: (root: string, turn: number) => ScriptedTurn,
  { isLocal = false, setup, remote, denied, ...options }: FleetOptions = {},
  input: Readonly<Record<string, unknown>> = {},
) {
  if (!isLocal) needRunnerTrees();
  const { folder: cwd } = await repositoryWith({ "a.txt": "one\ntwo\nthree\n", "b.txt": "b\n" });
  const engine = new MemoryEngine({ clock: systemClock });
  /** What the agent's calls returned, in order. */
  const results: string[] = [];
  /** By the turns of its conversation, whichever machine it is on. */
  const script: Script = (request) => {
    results.push(...lastResults(request));
    const [, root = ""] = /(\/[^\s"]*\/agent-\w+), on branch/.exec(JSON.stringify(request)) ?? [];
    return agent(root, request.messages.filter(({ role }) => role === "assistant").length);
  };
  const asked = { ...ASKED, ...input, ...(isLocal ? { isolation: "worktree" } : {}) };
  const session = supervised(
    "worker threads",
    (request, n) => {
      if (request.actor !== MAIN) return typeof script === "function" ? script(request, n) : {};
      return n === 0 ? { calls: [{ name: "Agent", input: asked }], usage } : { text: "All done.", usage };
    },
    {
      ...{ cwd, allowedTools: ["Bash"], permissionMode: "acceptEdits" },
      ...(denied === undefined
        ? {}
        : {
            rules: [
              { text: `Read(/${cwd}/${denied})`, behaviour: "deny", scope: "user", file: "/u/settings.json" },
            ],
          }),
      ...(isLocal
        ? {}
        : {
            runners: openRunners({
              ...{ pool: "default", version: "1", ...(setup === undefined ? {} : { setup }) },
              ...(remote === undefined ? {} : { remote }),
              connect: async () => ({ carrier: engine.connect("session"), fleetKey: KEY }),
            }),
          }),
      ...options,
    },
  );
  const start = async (
    name: string,
    { user, remote: itsRemote, slots = 2, once = false, clock = systemClock }: RunnerStart = {},
  ) => {
    const gateway = localGateway(scriptedModel(script), { patienceMs: 0 });
    const processes = startProcesses({ env: process.env, user });
    const home = temporaryFolder();
    const readers = user === undefined ? "owner" : "all";
    const repositories = new RunnerRepositories(join(home, "repositories"), undefined, readers);
    const runner = await openRunner({
      ...{ id: name, name, version: "1", pools: ["default"], slots, clock, user },
      openGateway: () => gateway,
      ...{ carrier: engine.connect(name), gateway, processes, home, trees: home, sandbox: {}, once },
      forks: new AgentForks({ clock: systemClock, memoryMb: 128, user }),
      ...{ sandboxState: "off", onLine() {}, onWarning() {} },
      files: repositoryFiles(repositories, itsRemote),
      sealerOf: (id) => createSeal(KEY, id),
    });
    onTestFinished(async () => {
      runner.drain();
      runner.drain();
      await runner.ended;
      await gateway.close();
      await processes.close();
    });
    return runner;
  };
  return { ...session, cwd, engine, start, results };
}

const ASKED = { description: "edit", prompt: "edit", subagent_type: "general-purpose" };

export const write = (path: string, content: string): ScriptedTurn => ({
  calls: [{ name: "Write", input: { file_path: path, content } }],
  usage,
});

export const bash = (command: string): ScriptedTurn => ({
  calls: [{ name: "Bash", input: { command, description: "run" } }],
  usage,
});
