import { homedir } from "node:os";
import { isatty } from "node:tty";
import { systemClock } from "../lib/clock.ts";
import { isContained } from "../policy/root-bypass.ts";
import { outputStream } from "../terminal/output-stream.ts";
import type { CliIO } from "./io.ts";

/** The process's own streams, environment and signals. */
export function processIO(cwd: string): CliIO {
  return {
    // Behind a getter: merely touching standard input of a terminal changes how the process waits for it.
    get stdin() {
      return process.stdin;
    },
    stdinIsTTY: isatty(0),
    stdout: outputStream(process.stdout),
    stderr: outputStream(process.stderr),
    env: process.env,
    cwd,
    homedir: homedir(),
    get runningAs() {
      return { uid: process.getuid?.() ?? null, contained: isContained() };
    },
    onSignal(signal, listener) {
      process.on(signal, listener);
      return () => process.off(signal, listener);
    },
    onExit(listener) {
      process.on("exit", listener);
      return () => process.off("exit", listener);
    },
    ...(process.platform === "win32" ? {} : { suspend }),
    leave: (code) => process.exit(code),
    clock: systemClock,
  };
}

/** The whole group, so that what started this program (npx) stops too and the shell has its prompt. */
async function suspend(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.once("SIGCONT", () => resolve());
  process.kill(0, "SIGTSTP");
  await promise;
}
