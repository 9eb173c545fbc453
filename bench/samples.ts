/** The value below which `part` (0 to 1) of the samples lie. */
export function quantile(samples: readonly number[], part: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  if (value === undefined) throw new Error("There are no samples.");
  return value;
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** "p95 12.3" and the like, for a note. */
export function p95(samples: readonly number[]): string {
  return `p95 ${rounded(quantile(samples, 0.95))}`;
}

export function rounded(value: number): string {
  if (value >= 1000) return value.toFixed(0);
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/**
 * One sample of each, in turn: what else the machine does meanwhile hits all alike. `rounds` samples of
 * each are answered, after one of each that is not counted.
 */
export async function interleaved<Name extends string>(
  rounds: number,
  measures: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(measures) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>;
  for (let round = -1; round < rounds; round++) {
    for (const name of names) {
      const sample = await measures[name]();
      if (round >= 0) samples[name].push(sample);
    }
  }
  return samples;
}
