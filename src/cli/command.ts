import type { Arguments } from "./arguments.ts";
import type { CliIO } from "./io.ts";
import type { Option } from "./option.ts";
import type { Runtime } from "./runtime.ts";

/** What a command works with. */
export interface Context {
  readonly io: CliIO;
  readonly runtime: Runtime;
  /** Monotonic milliseconds at which the process began its work. */
  readonly startedAt: number;
}

/** One command: its help, its flags and what it does. The exit code is its answer. */
export interface Command {
  readonly name: string;
  /** After `troupe`, as help shows it. */
  readonly usage: readonly string[];
  readonly summary: string;
  /** More sentences for its own help. */
  readonly details?: readonly string[];
  readonly options: readonly Option<unknown>[];
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  run(args: Arguments, context: Context): Promise<number>;
}
