import type { ChildProcess, StdioOptions } from "node:child_process";
import type { Lines, ProcessResult } from "./requests.ts";

/** What a child wrote, as its result tells it. */
export type Written = Pick<ProcessResult, "stdout" | "stderr" | "truncated" | "file" | "reason">;

/** Where a child's output goes: into its result, or into a file. Made before the child, closed after it. */
export interface Output {
  /** The child's descriptors from 1 on, where it writes by itself; null: pipes. */
  readonly descriptors: readonly number[] | null;
  /** All of the child's streams, where its stdin is to be read. */
  readonly stdio?: StdioOptions;
  /** The child runs. `full` is called when it has written more than it may. */
  begin(process: ChildProcess, full: (now: "kill" | "end") => void): void;
  /** Tells of lines from the byte `from` on, as they come, until `close`; takes the place of what was asked before. */
  follow(from: number, words: readonly string[], tell: (lines: Lines) => void): void;
  /** The child and its group are gone, or never were: what it wrote. Call once. `isGone`: nobody can be left who writes. */
  close(isGone: boolean): Promise<Written>;
}
