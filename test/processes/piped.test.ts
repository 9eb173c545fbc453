// @module-tag long
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MAIN } from "../../src/mailbox/ids.ts";
import { startProcesses } from "../../src/processes/client.ts";
import type { ProcessResult, RunInput } from "../../src/processes/processes.ts";
import { witness } from "./witness.ts";

const cwd = realpathSync(mkdtempSync(join(tmpdir(), "troupe-piped-")));

interface Talk {
  readonly input: RunInput;
  readonly result: Promise<ProcessResult>;
  readonly stop: AbortController;
  /** What it has written so far. */
  readonly read: () => string;
}

/** A shell command that is talked with. `onBytes` sees each piece of its stdout. */
async function talk(script: string, onBytes: (bytes: Uint8Array) => void = () => {}): Promise<Talk> {
  const processes = startProcesses({ env: { PATH: process.env["PATH"] } });
  onTestFinished(() => processes.close());
  const stop = new AbortController();
  const pieces: Uint8Array[] = [];
  const { promise, resolve } = Promise.withResolvers<RunInput>();
  const request = { id: "talk", owner: MAIN, file: "sh", args: ["-c", script], cwd, timeoutMs: null };
  const result = processes.run({ ...request, maxOutputBytes: 0, piped: true }, stop.signal, {
    input: resolve,
    bytes(bytes) {
      pieces.push(bytes);
      onBytes(bytes);
    },
  });
  return { input: await promise, result, stop, read: () => Buffer.concat(pieces).toString() };
}

const bytes = (text: string) => new TextEncoder().encode(text);

test("relays stdin and stdout of a piped run while it runs, whatever the bytes", async () => {
  const { input, result, read } = await talk("cat");
  input.write(bytes("first é\n"));
  await expect.poll(read).toBe("first é\n");
  input.write(bytes("second"));
  input.close();
  expect(await result).toMatchObject({ outcome: "exited", exitCode: 0, stdout: "", stderr: "" });
  expect(read()).toBe("first é\nsecond");
});

test("keeps the last lines of stderr for the result of a piped run", async () => {
  const { result } = await talk("seq 1 20000 >&2; echo 'no such option' >&2; exit 3");
  const { exitCode, stderr } = await result;
  expect(exitCode).toBe(3);
  expect(stderr.length).toBeLessThanOrEqual(16 * 1024);
  expect(stderr.endsWith("\n20000\nno such option\n")).toBe(true);
});

test("all of a large output of a piped run arrives, in order", async () => {
  const { result, read } = await talk("seq 1 1000000");
  await result;
  expect(read().split("\n")).toHaveLength(1_000_001);
});

test("ends a piped run that does not read what it is sent", async () => {
  const { input, result } = await talk("sleep 1000");
  const piece = new Uint8Array(8 * 1024 * 1024);
  for (let sent = 0; sent < 80; sent += 8) input.write(piece);
  const { outcome, reason } = await result;
  expect(outcome).toBe("cancelled");
  expect(reason).toContain("did not read what it was sent");
});

test("ends a piped run that floods when it is stopped, and with all its children", async () => {
  const alive = witness();
  const { stop, result } = await talk(`exec 9>${alive.path}; echo up >&9; yes & yes`);
  await alive.ready;
  stop.abort();
  expect((await result).outcome).toBe("cancelled");
  await alive.allGone;
});
