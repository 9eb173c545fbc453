import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { backgroundCommands } from "../../../src/features/background/commands.ts";
import { outputsIn } from "../../../src/journal/outputs.ts";
import { callId, MAIN, randomIds } from "../../../src/mailbox/ids.ts";
import { startProcesses } from "../../../src/processes/client.ts";
import { platformShell, type Shell } from "../../../src/processes/platform-shell.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const { signal } = new AbortController();
const ours = platformShell(process.platform, process.env);

function commandsIn(home: string, shell: Shell | null = ours) {
  const processes = startProcesses({ env: process.env });
  onTestFinished(() => processes.close());
  const outputs = outputsIn(home, join(home, "session"), randomIds());
  const run = (command: string) =>
    backgroundCommands(processes, outputs, shell).run(
      MAIN,
      { call: callId(MAIN, 1, 0), command, cwd: "/", timeoutMs: 60_000 },
      signal,
    );
  return { run, outputs };
}

test("what commands write lies in a directory of this user's own, made when it is needed and removed at the end", async () => {
  const home = temporaryFolder();
  const { run, outputs } = commandsIn(home);
  await outputs.remove();
  expect(existsSync(outputs.folder)).toBe(false);
  const { output } = await run("seq 1 10000");
  expect(output.path).toMatch(/\/session\/outputs\/b[a-z0-9]{8}\.txt$/);
  expect(statSync(outputs.folder).mode & 0o777).toBe(0o700);
  await outputs.remove();
  expect(existsSync(outputs.folder)).toBe(false);
});

test("a directory that a command removed is there again for the next one", async () => {
  const { run, outputs } = commandsIn(temporaryFolder());
  await run("echo one");
  rmSync(outputs.folder, { recursive: true });
  expect(await run("echo two")).toMatchObject({ outcome: "exited", output: { head: "two\n" } });
});

test("where no directory can be made nothing is run, and the sentence names the place", async () => {
  const home = join(temporaryFolder(), "file");
  writeFileSync(home, "");
  const witness = join(temporaryFolder(), "ran");
  const result = await commandsIn(home).run(`touch ${witness}`);
  expect(result).toMatchObject({ outcome: "not-started", exitCode: null, output: { bytes: 0, path: null } });
  expect(result.reason).toContain(home);
  expect(existsSync(witness)).toBe(false);
});

test("without a bash nothing is run, and the sentence says what to install", async () => {
  const result = await commandsIn(temporaryFolder(), null).run("true");
  expect(result).toMatchObject({ outcome: "not-started", reason: expect.stringContaining("Install bash") });
});

test("what was written before the host died is still told", async () => {
  const result = await commandsIn(temporaryFolder()).run('echo said; kill -KILL "$PPID"; sleep 1000');
  expect(result).toMatchObject({ outcome: "unknown", output: { head: "said\n" }, cwd: null });
  expect(result.output.path).not.toBeNull();
});
