import type { Readable } from "node:stream";
import type { Clock } from "../mailbox/clock.ts";
import type { RunningAs } from "../policy/root-bypass.ts";
import type { Outlet } from "./output-stream.ts";

/** Everything of the outside world that the command line touches itself. */
export interface CliIO {
  /** A terminal hands over each key in raw mode. */
  readonly stdin: Readable & { setRawMode?(raw: boolean): unknown };
  readonly stdinIsTTY: boolean;
  readonly stdout: Outlet;
  readonly stderr: Outlet;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
  readonly homedir: string;
  /** As whom, and in what, the program runs; absent: as an ordinary user. */
  readonly runningAs?: Pick<RunningAs, "uid" | "contained">;
  /** The organisation's settings file; the platform's where absent. */
  readonly managedSettings?: string;
  /** Calls back on each such signal, which then no longer ends the process; the answer withdraws it. */
  onSignal(signal: "SIGINT" | "SIGTERM" | "SIGHUP", listener: () => void): () => void;
  /** Ends the process at once, without waiting for anything. */
  leave(code: number): void;
  readonly clock: Clock;
}
