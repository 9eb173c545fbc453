import type { ChildProcess } from "node:child_process";
import { connect, type Socket } from "node:net";
import { type Clock, within } from "../lib/clock.ts";
import type { ProcessOutput } from "./launch.ts";

/** The end of stderr to keep: the last lines say why a program ended. */
const STDERR_CHARS = 16 * 1024;
/** A process that left the group may hold the pipe open forever; do not wait for what it writes later. */
const LINGER_MS = 1_000;

/** Opens a connection to be a child's stdin and stdout: this process neither reads nor writes it. */
export function connectFor(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true });
    // Before it is connected, or this process would read the first bytes.
    socket.pause();
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.on("error", () => {});
      resolve(socket);
    });
  });
}

/** Returns the output of a child that has its own connection. */
export function pipedOutput(socket: Socket, clock: Clock): ProcessOutput {
  let child: ChildProcess | undefined;
  let closed: Promise<unknown> = Promise.resolve();
  let stderr = "";
  return {
    descriptors: null,
    stdio: [socket, socket, "pipe"],
    begin(process) {
      // The child has its own copy; with this one open its end would not be seen.
      socket.destroy();
      child = process;
      closed = new Promise((resolve) => process.once("close", resolve));
      process.stderr?.setEncoding("utf8").on("data", (text: string) => {
        stderr = (stderr + text).slice(-STDERR_CHARS);
      });
    },
    follow() {},
    async close() {
      socket.destroy();
      await within(clock, LINGER_MS, closed);
      child?.stderr?.destroy();
      return { stdout: "", stderr, truncated: false };
    },
  };
}
