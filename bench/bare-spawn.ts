import { fork } from "node:child_process";
import { once } from "node:events";

/** A program and its arguments, as a floor runs it. */
export interface BareSpawn {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

export interface BareRun {
  /** From the spawn until all of its output was heard. */
  readonly ms: number;
  readonly said: string;
}

export interface BareSpawner {
  readonly pid: number | undefined;
  run(spawn: BareSpawn): Promise<BareRun>;
  stop(): void;
}

const PATIENCE_MS = 60_000;

/** Spawns from a process of its own, so that the size of the measured one makes no floor slower. */
export function startBareSpawner(): BareSpawner {
  const helper = fork(new URL("./inside/bare-spawn.ts", import.meta.url), {
    env: { PATH: process.env["PATH"] ?? "" },
  });
  return {
    pid: helper.pid,
    async run(spawn) {
      const answered = once(helper, "message", { signal: AbortSignal.timeout(PATIENCE_MS) });
      helper.send(spawn);
      const [run]: BareRun[] = await answered;
      if (run === undefined) throw new Error("The bare spawn said nothing.");
      return run;
    },
    stop: () => void helper.kill(),
  };
}
