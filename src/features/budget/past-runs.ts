import { type KeptIndex, keptIn, readCache, writeKept } from "../../context/disk-cache.ts";
import { diskFiles } from "../../context/disk-files.ts";

/** What the last runs cost, in dollars. */
type Costs = readonly number[];

const VERSION = 1;
/** So many runs of a type are remembered. */
const REMEMBERED = 20;
/** So many types, of all that ever ran. */
const MOST_TYPES = 500;
/** Runs before their average says something. */
const ENOUGH = 3;

/** What runs of an agent type have cost on this machine, by its model; kept for the next session. */
export class PastRuns {
  readonly #index: KeptIndex<Costs>;
  #runs: Map<string, Costs> | null = null;
  /** Of this session alone: another one may have saved meanwhile. */
  readonly #own: { readonly key: string; readonly usd: number }[] = [];

  constructor(home: string) {
    this.#index = { path: keptIn(home, "runs", ""), version: VERSION };
  }

  /** Dollars that a run is likely to cost; null: too few are known. */
  average(type: string, model: string): number | null {
    this.#runs ??= this.#read();
    const costs = this.#runs.get(keyOf(type, model)) ?? [];
    return costs.length < ENOUGH ? null : costs.reduce((sum, usd) => sum + usd, 0) / costs.length;
  }

  record(type: string, model: string, usd: number): void {
    this.#runs ??= this.#read();
    const key = keyOf(type, model);
    this.#own.push({ key, usd });
    remember(this.#runs, key, usd);
  }

  /** A disk that does not take it costs nothing but the next session's knowledge. */
  save(): void {
    if (this.#own.length === 0) return;
    const all = this.#read();
    for (const { key, usd } of this.#own.splice(0)) remember(all, key, usd);
    const entries = [...all].slice(-MOST_TYPES);
    writeKept(this.#index, new Map(entries.map(([key, read]) => [key, { stamp: "", read }])));
  }

  #read(): Map<string, Costs> {
    return new Map([...readCache(this.#index, diskFiles)].map(([key, { read }]) => [key, read]));
  }
}

function remember(runs: Map<string, Costs>, key: string, usd: number): void {
  const costs = [...(runs.get(key) ?? []), usd].slice(-REMEMBERED);
  runs.delete(key);
  runs.set(key, costs);
}

function keyOf(type: string, model: string): string {
  return `${type} ${model}`;
}
