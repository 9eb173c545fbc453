import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { backgroundCommands } from "../../../src/features/background/commands.ts";
import { outputsIn } from "../../../src/journal/outputs.ts";
import { callId, MAIN, randomIds } from "../../../src/mailbox/ids.ts";
import type { Prepared, Sandbox, SandboxSettings } from "../../../src/policy/sandbox/sandbox.ts";
import { startProcesses } from "../../../src/processes/client.ts";
import { platformShell } from "../../../src/processes/platform-shell.ts";
import { temporaryFolder } from "../../support/temporary.ts";

/** Runs what it is given, as bubblewrap would, and says that it did. */
function fakeBuilder(): string {
  const file = join(temporaryFolder(), "builder");
  const lines = ["#!/bin/bash", 'while [ "$1" != -- ]; do shift; done; shift', 'printf "inside $INSIDE: "'];
  const last = ['"$@"; code=$?', `echo '{ "exit-code": 0 }' >&4`, "exit $code"];
  writeFileSync(file, [...lines, ...last].join("\n"), { mode: 0o755 });
  return file;
}

/** A sandbox that answers as it is told; what it is asked is kept. */
function commandsWith(answer: string | null, mode: SandboxSettings["mode"] = "on") {
  const asked: string[] = [];
  let done = 0;
  const prepared = (): Prepared => ({
    confined: { type: "full", builder: fakeBuilder(), state: temporaryFolder(), seen: [] },
    env: { INSIDE: "it" },
    async finish() {
      done += 1;
      return "Something was moved.";
    },
  });
  const sandbox: Sandbox = {
    ready: Promise.resolve({ state: "enforced", reason: "" }),
    report: { state: "enforced", reason: "" },
    describe: () => "",
    prepare: async ({ writable }) => {
      asked.push(writable.join());
      return answer ?? prepared();
    },
    close: async () => {},
  };
  const home = temporaryFolder();
  const processes = startProcesses({ env: process.env });
  onTestFinished(() => processes.close());
  const outputs = outputsIn(home, join(home, "session"), randomIds());
  const shell = platformShell(process.platform, process.env);
  const place = () => ({ writable: ["/ours"], readable: [] });
  const commands = backgroundCommands(processes, outputs, shell, { sandbox, mode, place });
  const { signal } = new AbortController();
  const run = (command: string, outside?: boolean) => {
    const request = { call: callId(MAIN, 1, 0), command, cwd: home, timeoutMs: 60_000 };
    return commands.run(MAIN, request, signal, { outside: outside ?? false });
  };
  return { run, asked, home, ended: () => done };
}

test("runs a command as the sandbox says, with its environment, and reports what it moved", async () => {
  const { run, asked, ended } = commandsWith(null);
  const result = await run("echo mine; exit 5");
  expect(result).toMatchObject({ exitCode: 5, output: { head: "inside it: mine\n" } });
  expect(result.reason).toBe("Something was moved.");
  expect(asked).toEqual(["/ours"]);
  expect(ended()).toBe(1);
});

test("does not run what cannot be put into the sandbox (section 5)", async () => {
  const { run, home, asked } = commandsWith("Install bubblewrap.");
  expect(await run("touch ran")).toMatchObject({ outcome: "not-started", reason: "Install bubblewrap." });
  expect(existsSync(join(home, "ran"))).toBe(false);
  expect(asked).toHaveLength(1);
});

test("runs outside only what the gate has let outside, and nothing if the sandbox is required (A7.9)", async () => {
  const { run, asked } = commandsWith(null);
  expect(await run("echo mine", true)).toMatchObject({ exitCode: 0, output: { head: "mine\n" } });
  expect(asked).toEqual([]);
  const required = commandsWith(null, "required");
  expect(await required.run("echo mine", true)).toMatchObject({ output: { head: "inside it: mine\n" } });
});
