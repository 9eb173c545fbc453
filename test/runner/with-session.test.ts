// @module-tag long
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createSeal } from "../../src/engine/seal.ts";
import { openRunners } from "../../src/features/runners/open-runners.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { localGateway } from "../../src/model/gateway.ts";
import { type Script, type ScriptedTurn, scriptedModel } from "../../src/model/scripted.ts";
import { startProcesses } from "../../src/processes/client.ts";
import { AgentForks } from "../../src/runner/agent-fork.ts";
import { repositoryFiles } from "../../src/runner/files.ts";
import { openRunner } from "../../src/runner/runner.ts";
import type { SupervisorOptions } from "../../src/session/options.ts";
import { RunnerRepositories } from "../../src/worktrees/runner/repositories.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { MemoryEngine } from "../support/memory-carrier.ts";
import { supervised } from "../support/supervised.ts";
import { temporaryFolder } from "../support/temporary.ts";

const KEY = new Uint8Array(32).fill(7);
const usage = { input_tokens: 100, output_tokens: 10 };

/** A session in a repository whose agents run on runners, and the means to start those. */
async function openFleet(
  agent: (root: string, turn: number) => ScriptedTurn,
  options: Partial<SupervisorOptions> = {},
) {
  const { folder: cwd } = await repositoryWith({ "a.txt": "one\ntwo\nthree\n", "b.txt": "b\n" });
  const engine = new MemoryEngine({ clock: systemClock });
  const session = supervised(
    "worker threads",
    (_, n) => (n === 0 ? { calls: [{ name: "Agent", input: ASKED }], usage } : { text: "All done.", usage }),
    {
      ...{ cwd, allowedTools: ["Bash"], permissionMode: "acceptEdits" },
      runners: openRunners({
        ...{ pool: "default", version: "1" },
        connect: async () => ({ carrier: engine.connect("session"), fleetKey: KEY }),
      }),
      ...options,
    },
  );
  /** By the turns of its conversation, whichever runner it is on. */
  const script: Script = (request) => {
    const [root = ""] = /\/var\/tmp\/troupe\/\w+\/agent-\w+/.exec(JSON.stringify(request)) ?? [];
    return agent(root, request.messages.filter(({ role }) => role === "assistant").length);
  };
  const start = async (name: string) => {
    const gateway = localGateway(scriptedModel(script), { patienceMs: 0 });
    const processes = startProcesses({ env: process.env });
    const home = temporaryFolder();
    const runner = await openRunner({
      ...{ id: name, name, version: "1", pools: ["default"], slots: 2, clock: systemClock, user: undefined },
      ...{ carrier: engine.connect(name), gateway, processes, home, trees: home, sandbox: {}, once: false },
      forks: new AgentForks({ clock: systemClock, memoryMb: 128, user: undefined }),
      ...{ sandboxState: "off", onLine() {}, onWarning() {} },
      files: repositoryFiles(new RunnerRepositories(join(home, "repositories"))),
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
  return { ...session, cwd, engine, start };
}

const ASKED = { description: "edit", prompt: "edit", subagent_type: "general-purpose" };

const write = (path: string, content: string): ScriptedTurn => ({
  calls: [{ name: "Write", input: { file_path: path, content } }],
  usage,
});

const bash = (command: string): ScriptedTurn => ({
  calls: [{ name: "Bash", input: { command, description: "run" } }],
  usage,
});

describe("a session with a runner", () => {
  it("gets the report of an agent and its edits, with what the user had not committed, and pays for it", async () => {
    const { supervisor, cwd, model, start } = await openFleet((root, turn) => {
      switch (turn) {
        case 0:
          return write(join(root, "made.txt"), "by an agent\n");
        case 1:
          return bash("cat made.txt draft.txt > copy.txt; chmod +x copy.txt; rm b.txt; mv a.txt moved.txt");
        default:
          return { text: "It is copied.", usage };
      }
    });
    writeFileSync(join(cwd, "draft.txt"), "not committed\n");
    await start("r1");
    const { summary } = await supervisor.prompt("go");
    expect(summary.status).toBe("done");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("It is copied.");
    expect(readFileSync(join(cwd, "copy.txt"), "utf8")).toBe("by an agent\nnot committed\n");
    expect(statSync(join(cwd, "copy.txt")).mode & 0o100).toBe(0o100);
    expect(readdirSync(cwd).sort()).toEqual([".git", "copy.txt", "draft.txt", "made.txt", "moved.txt"]);
    // Two turns of the conversation, three of the agent.
    expect(supervisor.usage().usage.input_tokens).toBe(500);
    const agent = supervisor.tree().find(({ description }) => description === "edit");
    expect(agent?.runner).toBe("r1");
    // Its runner removes it after it has sent everything.
    await vi.waitUntil(() => !existsSync(`/var/tmp/troupe/${supervisor.session}`), { timeout: 20_000 });
  });

  it("continues an agent of a runner that drains on another one, with its files", async () => {
    const ready = temporaryFolder();
    const { supervisor, cwd, start } = await openFleet((_, turn) =>
      turn < 2
        ? bash(`echo ${turn} >> turns; touch ${ready}/${turn}; until [ -e ${ready}/go ]; do sleep 0.05; done`)
        : { text: "done", usage },
    );
    const first = await start("r1");
    const ending = supervisor.prompt("go");
    await vi.waitUntil(() => existsSync(join(ready, "0")), { timeout: 20_000 });
    await start("r2");
    first.drain();
    writeFileSync(join(ready, "go"), "");
    await first.ended;
    expect((await ending).summary.status).toBe("done");
    expect(readFileSync(join(cwd, "turns"), "utf8")).toBe("0\n1\n");
  });

  it("sends a conflict back to the agent, which resolves it in its files on the runner", async () => {
    const { supervisor, cwd, start } = await openFleet((root, turn) => {
      switch (turn) {
        case 0:
          return bash(`sed -i s/two/agent/ a.txt; sed -i s/two/user/ ${cwdOf()}/a.txt`);
        case 1:
          return { text: "edited", usage };
        case 2:
          return bash("cat a.txt");
        case 3:
          return write(join(root, "a.txt"), "one\nuser and agent\nthree\n");
        default:
          return { text: "resolved", usage };
      }
    });
    const cwdOf = () => cwd;
    await start("r1");
    const { summary } = await supervisor.prompt("go");
    expect(summary.status).toBe("done");
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("one\nuser and agent\nthree\n");
  });

  it("starts no agent where it has no repository, and says why", async () => {
    const { supervisor, model } = await openFleet(() => ({ text: "never", usage }), {
      cwd: temporaryFolder(),
    });
    await supervisor.prompt("go");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("takes a git repository along");
  });
});
