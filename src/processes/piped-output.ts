import type { ChildProcess } from "node:child_process";
import { connect, type Socket } from "node:net";
import { type Clock, within } from "../mailbox/clock.ts";
import type { Output } from "./output.ts";

/** Of stderr, where the last lines say why a program ended. */
const STDERR_CHARS = 16 * 1024;
/** A process that left the group may hold the pipe open for ever; what it writes later is not waited for. */
const LINGER_MS = 1_000;

/** A connection that is a child's stdin and stdout: nothing of it is read or written here. */
export function connectFor(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true });
    // Before it is connected, or the first bytes would be read by this process.
    socket.pause();
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.on("error", () => {});
      resolve(socket);
    });
  });
}

/** A child that is talked with over a connection of its own. */
export function pipedOutput(socket: Socket, clock: Clock): Output {
  let child: ChildProcess | undefined;
  let closed: Promise<unknown> = Promise.resolve();
  let stderr = "";
  return {
    descriptors: null,
    stdio: [socket, socket, "pipe"],
    begin(process) {
      // The child has its own; with this one open its end would not be seen.
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
