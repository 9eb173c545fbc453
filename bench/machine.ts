import { availableParallelism, cpus, loadavg } from "node:os";

/** Where and when, in one line each: figures mean nothing without it. */
export interface Machine {
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  /** Of one, five and fifteen minutes, before anything was measured. */
  readonly load: readonly number[];
}

export function thisMachine(): Machine {
  return {
    date: new Date().toISOString().slice(0, 16).replace("T", " "),
    machine: `${cpus()[0]?.model ?? "unknown CPU"}, ${availableParallelism()} cores, ${process.platform}`,
    node: process.versions.node,
    load: loadavg().map((load) => Math.round(load * 100) / 100),
  };
}

/** Monotonic milliseconds that two processes of one machine agree on. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
