// @module-tag long
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createSeal } from "../../src/engine/seal.ts";
import { openRunners } from "../../src/features/runners/open-runners.ts";
import { systemClock } from "../../src/mailbox/clock.ts";
import { localGateway } from "../../src/model/gateway.ts";
import { type Script, type ScriptedTurn, scriptedModel } from "../../src/model/scripted.ts";
import { startProcesses } from "../../src/processes/client.ts";
import { AgentForks } from "../../src/runner/agent-fork.ts";
import { localFiles } from "../../src/runner/files.ts";
import { openRunner } from "../../src/runner/runner.ts";
import { MemoryEngine } from "../support/memory-carrier.ts";
import { supervised } from "../support/supervised.ts";
import { temporaryFolder } from "../support/temporary.ts";

const KEY = new Uint8Array(32).fill(7);
const usage = { input_tokens: 100, output_tokens: 10 };

/** A session whose agents run on runners, and the means to start those. */
function openFleet(agent: Script) {
  const engine = new MemoryEngine({ clock: systemClock });
  const session = supervised(
    "worker threads",
    (_, n) =>
      n === 0
        ? {
            calls: [
              {
                name: "Agent",
                input: { description: "look", prompt: "look", subagent_type: "general-purpose" },
              },
            ],
            usage,
          }
        : { text: "All done.", usage },
    {
      allowedTools: ["Bash"],
      permissionMode: "acceptEdits",
      runners: openRunners({
        ...{ pool: "default", version: "1", fleetKey: KEY },
        openCarrier: async () => engine.connect("session"),
      }),
    },
  );
  const start = async (name: string) => {
    const gateway = localGateway(scriptedModel(agent), { patienceMs: 0 });
    const processes = startProcesses({ env: process.env });
    const home = temporaryFolder();
    const runner = await openRunner({
      ...{ id: name, name, version: "1", pools: ["default"], slots: 2, clock: systemClock, user: undefined },
      ...{ carrier: engine.connect(name), gateway, processes, home, trees: home, sandbox: {}, once: false },
      forks: new AgentForks({ clock: systemClock, memoryMb: 128, user: undefined }),
      ...{ sandboxState: "off", files: localFiles(null), onLine() {}, onWarning() {} },
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
  return { ...session, start };
}

describe("a session with a runner", () => {
  it("gets the report of an agent that ran there, and pays for it", async () => {
    const { supervisor, cwd, model, start } = openFleet((_, n): ScriptedTurn => {
      const calls = [
        { name: "Write", input: { file_path: join(cwd, "made"), content: "by an agent\n" } },
        { name: "Bash", input: { command: "cat made > copy", description: "copy" } },
      ];
      const call = calls[n];
      return call ? { calls: [call], usage } : { text: "It is copied.", usage };
    });
    await start("r1");
    const end = await supervisor.prompt("go");
    expect(end.summary.status).toBe("done");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("It is copied.");
    expect(readFileSync(join(cwd, "copy"), "utf8")).toBe("by an agent\n");
    // Two turns of the conversation, three of the agent.
    expect(supervisor.usage().usage.input_tokens).toBe(500);
  });

  it("continues an agent of a runner that drains on another one", async () => {
    const { supervisor, cwd, start } = openFleet((request): ScriptedTurn => {
      const turns = request.messages.filter(({ role }) => role === "assistant").length;
      const wait = `echo ${turns} >> turns; until [ -e go ]; do sleep 0.05; done`;
      return turns < 2
        ? { calls: [{ name: "Bash", input: { command: wait, description: "wait" } }], usage }
        : { text: "done", usage };
    });
    const first = await start("r1");
    const ending = supervisor.prompt("go");
    await vi.waitUntil(() => existsSync(join(cwd, "turns")), { timeout: 20_000 });
    await start("r2");
    first.drain();
    writeFileSync(join(cwd, "go"), "");
    await first.ended;
    expect((await ending).summary.status).toBe("done");
    expect(readFileSync(join(cwd, "turns"), "utf8")).toBe("0\n1\n");
  });
});
