import type { ChildProcess } from "node:child_process";
import { type Clock, within } from "../mailbox/clock.ts";
import type { Output } from "./output.ts";

/** Bytes of stdout that were sent and not read yet; a child that writes more has to wait. */
const MOST_AHEAD = 1024 * 1024;
/** Pieces that were sent and not read yet; what a child writes after them is sent as one, for a flood of small ones. */
const MOST_PIECES = 4;
/** Bytes for a child that does not read them; then it is ended, because nothing else bounds what they take here. */
const MOST_UNREAD = 64 * 1024 * 1024;
/** Of stderr, where the last lines say why a program ended. */
const STDERR_CHARS = 16 * 1024;
/** A process that left the group may hold the pipe open for ever; what it writes later is not waited for. */
const LINGER_MS = 1_000;

/** A child that is talked with: its stdin is written and its stdout is sent on, both while it runs. */
export function pipedOutput(relay: (bytes: Uint8Array) => void, clock: Clock): Output {
  let child: ChildProcess | undefined;
  let closed: Promise<unknown> = Promise.resolve();
  let endChild: (now: "kill" | "end") => void = () => {};
  let ahead = 0;
  let pieces = 0;
  let unsent: Uint8Array[] = [];
  let isDeaf = false;
  let stderr = "";
  const relayAll = () => {
    if (unsent.length === 0) return;
    const bytes = unsent.length === 1 && unsent[0] ? unsent[0] : Buffer.concat(unsent);
    unsent = [];
    pieces += 1;
    relay(bytes);
  };
  return {
    descriptors: null,
    begin(process, full) {
      child = process;
      endChild = full;
      closed = new Promise((resolve) => process.once("close", resolve));
      // It closed its end, or is gone: its exit says so.
      process.stdin?.on("error", () => {});
      process.stdout?.on("data", (chunk: Uint8Array) => {
        ahead += chunk.length;
        if (ahead >= MOST_AHEAD) process.stdout?.pause();
        unsent.push(chunk);
        if (pieces < MOST_PIECES) relayAll();
      });
      process.stderr?.setEncoding("utf8").on("data", (text: string) => {
        stderr = (stderr + text).slice(-STDERR_CHARS);
      });
    },
    follow() {},
    write(bytes) {
      const stdin = child?.stdin;
      if (!stdin || stdin.destroyed || stdin.writableEnded) return;
      if (bytes === null) stdin.end();
      else if (stdin.writableLength + bytes.length <= MOST_UNREAD) stdin.write(bytes);
      else {
        isDeaf = true;
        endChild("kill");
      }
    },
    taken(bytes) {
      ahead = Math.max(0, ahead - bytes);
      pieces = Math.max(0, pieces - 1);
      relayAll();
      if (ahead < MOST_AHEAD) child?.stdout?.resume();
    },
    async close() {
      child?.stdin?.destroy();
      // What the pipe still holds is little, and its end is waited for.
      child?.stdout?.resume();
      await within(clock, LINGER_MS, closed);
      relayAll();
      child?.stdout?.destroy();
      child?.stderr?.destroy();
      const reason = isDeaf ? { reason: "It was ended, because it did not read what it was sent." } : {};
      return { stdout: "", stderr, truncated: false, ...reason };
    },
  };
}
