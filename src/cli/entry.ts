import { homedir } from "node:os";
import { isatty } from "node:tty";
import { systemClock } from "../mailbox/clock.ts";
import { exitCodes } from "./exit-codes.ts";
import type { CliIO } from "./io.ts";
import { main } from "./main.ts";
import { messageOf } from "./message-of.ts";
import { outletOf } from "./outlet.ts";

/** The process's own ends of everything. The process ends by itself once all it owns is closed. */
const argv = process.argv.slice(2);

process.on("uncaughtException", (error) => {
  process.stderr.write(`troupe: ${messageOf(error)}\n`);
  if (argv.includes("--debug") && error.stack) process.stderr.write(`${error.stack}\n`);
  process.exit(exitCodes.notDone);
});

const cwd = currentFolder();
if (cwd === undefined) {
  process.stderr.write("troupe: The current folder no longer exists; change to another one.\n");
  process.exitCode = exitCodes.usage;
} else {
  process.exitCode = await main(argv, processIO(cwd));
}

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    // The only way it fails is a folder that was removed under us.
    return undefined;
  }
}

function processIO(cwd: string): CliIO {
  return {
    // Behind a getter: merely touching standard input of a terminal changes how the process waits for it.
    get stdin() {
      return process.stdin;
    },
    stdinIsTTY: isatty(0),
    stdout: outletOf(process.stdout),
    stderr: outletOf(process.stderr),
    env: process.env,
    cwd,
    homedir: homedir(),
    onSignal(signal, listener) {
      process.on(signal, listener);
      return () => process.off(signal, listener);
    },
    leave: (code) => process.exit(code),
    clock: systemClock,
  };
}
