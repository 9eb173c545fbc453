import type { ChildProcess, StdioOptions } from "node:child_process";
import type { Lines, ProcessResult } from "./requests.ts";

export type Written = Pick<ProcessResult, "stdout" | "stderr" | "truncated" | "file" | "reason">;

/** Where a child's output goes: into its result, or into a file. Made before the child, closed after it. */
export interface ProcessOutput {
  /** The child's descriptors from 1 on, to which it writes directly; null for pipes. */
  readonly descriptors: readonly number[] | null;
  /** All of the child's streams, if its stdin is read. */
  readonly stdio?: StdioOptions;
  /** Call when the child runs. `full` is called when it has written more than it may. */
  begin(process: ChildProcess, full: (now: "kill" | "end") => void): void;
  /** Reports new lines from the byte `from` on, until `close`; replaces an earlier call. */
  follow(from: number, words: readonly string[], tell: (lines: Lines) => void): void;
  /** Call once, when the child and its group have ended, or never started. */
  close(): Promise<Written>;
}
