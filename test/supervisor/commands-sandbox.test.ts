import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { callId, MAIN, randomIds } from "../../src/mailbox/ids.ts";
import type { NotWrapped, Sandbox, SandboxSettings, Wrapped } from "../../src/policy/sandbox/sandbox.ts";
import { startProcesses } from "../../src/processes/client.ts";
import { platformShell } from "../../src/processes/platform-shell.ts";
import { commandsOf } from "../../src/supervisor/commands.ts";
import { outputsIn } from "../../src/supervisor/outputs.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** A sandbox that answers as it is told; what it is asked is kept. */
function commandsWith(answer: NotWrapped | "say-inside", mode: SandboxSettings["mode"] = "on") {
  const asked: string[] = [];
  let done = 0;
  const wrapped = (): Wrapped => ({
    type: "wrapped",
    program: { file: "/bin/sh", args: ["-c", 'echo "inside $INSIDE"; exit 5'] },
    env: { INSIDE: "it" },
    done: async () => void done++,
  });
  const sandbox: Sandbox = {
    ready: Promise.resolve({ state: "enforced", reason: "" }),
    report: { state: "enforced", reason: "" },
    describe: () => "",
    wrap: async ({ args }, { writable }) => {
      asked.push(`${args.at(-1)} in ${writable.join()}`);
      return answer === "say-inside" ? wrapped() : answer;
    },
    close: async () => {},
  };
  const home = temporaryFolder();
  const processes = startProcesses({ env: process.env });
  onTestFinished(() => processes.close());
  const outputs = outputsIn(home, join(home, "session"), randomIds());
  const shell = platformShell(process.platform, process.env);
  const place = () => ({ writable: ["/ours"], readable: [] });
  const commands = commandsOf(processes, outputs, shell, { sandbox, mode, place });
  const { signal } = new AbortController();
  const run = (command: string, outside?: boolean) => {
    const request = { call: callId(MAIN, 1, 0), command, cwd: home, timeoutMs: 60_000 };
    return commands.run(MAIN, request, signal, outside);
  };
  return { run, asked, home, ended: () => done };
}

test("a command runs as the sandbox says, with its environment and the supervisor's folders; its traces go when it has ended", async () => {
  const { run, asked, ended } = commandsWith("say-inside");
  expect(await run("echo mine")).toMatchObject({ exitCode: 5, output: { head: "inside it\n" } });
  expect(asked).toEqual(["echo mine in /ours"]);
  expect(ended()).toBe(1);
});

test("what cannot be put into the sandbox is not run, and what failed in it is not run again outside (section 5)", async () => {
  const { run, home, asked } = commandsWith({ type: "not-wrapped", reason: "Install bubblewrap." });
  expect(await run("touch ran")).toMatchObject({ outcome: "not-started", reason: "Install bubblewrap." });
  expect(existsSync(join(home, "ran"))).toBe(false);
  expect(asked).toHaveLength(1);
});

test("only what the gate has let outside runs outside, and where the sandbox is required nothing does (A7.9)", async () => {
  const { run, asked } = commandsWith("say-inside");
  expect(await run("echo mine", true)).toMatchObject({ exitCode: 0, output: { head: "mine\n" } });
  expect(asked).toEqual([]);
  const required = commandsWith("say-inside", "required");
  expect(await required.run("echo mine", true)).toMatchObject({ exitCode: 5 });
});
