import { onFreshGround } from "./folders.ts";
import { inOwnProcess } from "./own-process.ts";
import { atMost, type BenchOptions, type BenchResult, timesFloor } from "./result.ts";
import { median, p95 } from "./samples.ts";

/** Milliseconds from the start of an actor to its first request, and what that is compared with. */
export interface SpawnSamples {
  readonly emptyThread: readonly number[];
  readonly cold: readonly number[];
  readonly warm: readonly number[];
  readonly portRoundTrip: readonly number[];
}

export async function run({ quick }: BenchOptions): Promise<BenchResult[]> {
  const rounds = quick ? 8 : 30;
  const samples = await onFreshGround(({ cwd, file, compileCache }) =>
    inOwnProcess<SpawnSamples>(
      new URL("./inside/spawning.ts", import.meta.url),
      { cwd, file, rounds },
      { NODE_COMPILE_CACHE: compileCache },
    ),
  );
  const { emptyThread, cold, warm, portRoundTrip } = samples;
  return [
    {
      name: "agent spawn to its first request, cold",
      unit: "ms",
      ours: median(cold),
      floor: median(emptyThread),
      target: timesFloor(1.8),
      note: `${p95(cold)}; floor: an empty thread`,
    },
    {
      name: "agent spawn to its first request, warm",
      unit: "ms",
      ours: median(warm),
      floor: median(portRoundTrip),
      target: atMost(5),
      note: `${p95(warm)}; floor: a round trip on a bare port`,
    },
  ];
}
