import type { ChildProcess } from "node:child_process";
import { type Clock, pause } from "../mailbox/clock.ts";
import { boundedText } from "./bounded-text.ts";
import type { ProcessOutput } from "./output.ts";

const STDERR_BYTES = 64 * 1024;
/** A process that left the group may hold the pipe open forever; do not wait for what it writes later. */
const LINGER_MS = 1_000;

/** Returns output that the result contains, up to a number of bytes. */
export function inlineOutput(maxBytes: number, clock: Clock): ProcessOutput {
  const stdout = boundedText(maxBytes);
  const stderr = boundedText(STDERR_BYTES);
  let child: ChildProcess | undefined;
  let closed: Promise<unknown> = Promise.resolve();
  return {
    descriptors: null,
    begin(process, full) {
      child = process;
      closed = new Promise((resolve) => process.once("close", resolve));
      process.stdout?.on("data", (chunk: Uint8Array) => {
        if (!stdout.add(chunk)) full("end");
      });
      process.stderr?.on("data", (chunk: Uint8Array) => stderr.add(chunk));
    },
    follow() {},
    async close() {
      const waited = new AbortController();
      await Promise.race([closed, pause(clock, LINGER_MS, waited.signal)]);
      waited.abort();
      child?.stdout?.destroy();
      child?.stderr?.destroy();
      return { stdout: stdout.take(), stderr: stderr.take(), truncated: stdout.truncated };
    },
  };
}
