import { homedir } from "node:os";
import type { Readable } from "node:stream";
import { isatty } from "node:tty";
import { setFlagsFromString } from "node:v8";
import { type Clock, systemClock } from "../lib/clock.ts";
import { isContained, type RunningAs, whyNotAsRoot } from "../policy/root-bypass.ts";
import type { PermissionMode } from "../settings/permissions.ts";
import { type Outlet, outputStream } from "../terminal/output-stream.ts";

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

/** Everything outside the program that the command line itself uses. */
export interface CliIO {
  /** A terminal hands over each key in raw mode. */
  readonly stdin: Readable & { setRawMode?(raw: boolean): unknown };
  readonly stdinIsTTY: boolean;
  readonly stdout: Outlet;
  /** The terminal of the user, if stdout is collected for it. */
  readonly terminal?: Outlet;
  readonly stderr: Outlet;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
  readonly homedir: string;
  /** The user and the container that the program runs in; absent: an ordinary user. */
  readonly runningAs?: Pick<RunningAs, "uid" | "contained">;
  /** The organisation's settings file; absent: the platform's. */
  readonly managedSettings?: string;
  /** Calls back on each such signal, which then no longer ends the process. The answer withdraws it. */
  onSignal(signal: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGQUIT", listener: () => void): () => void;
  /** Calls back when the process ends, on whatever path. The answer withdraws it. */
  onExit(listener: () => void): () => void;
  /** Stops the process as Ctrl-Z does elsewhere; resolves when the shell has it go on. Absent: the system has no such thing. */
  suspend?(): Promise<void>;
  /** Ends the process without waiting for anything. */
  leave(code: number): void;
  readonly clock: Clock;
}

/** Returns why the user who runs the program may not enter this mode, or null. */
export function rootRefusal(
  mode: PermissionMode,
  { runningAs = { uid: null, contained: false }, env }: Pick<CliIO, "runningAs" | "env">,
): string | null {
  return whyNotAsRoot(mode, { ...runningAs, env });
}

/** Later versions of Node were not tried: one without the flag would print an error. */
const LAST_TRIED = 26;

/**
 * Keeps V8's young generation, also those of threads, as small as they are. It doubles again and again with what
 * survives, and in a conversation of hundreds of turns it becomes 100 MB of garbage. Node takes a limit only on its own command line.
 */
export function keepHeapSmall(): void {
  if (Number.parseInt(process.versions.node, 10) <= LAST_TRIED)
    setFlagsFromString("--semi-space-growth-factor=1");
}
