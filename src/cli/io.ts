import type { Readable } from "node:stream";
import type { Clock } from "../lib/clock.ts";
import type { RunningAs } from "../policy/root-bypass.ts";
import type { Outlet } from "../terminal/output-stream.ts";

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
