import { join } from "node:path";
import * as z from "zod/mini";
import { diskFiles } from "../../context/files.ts";
import { replaceCache } from "../../lib/files.ts";

/** Costs of the last runs in dollars. */
type Costs = readonly number[];

/** Dollars of the last runs. */
interface Lately {
  readonly usd: number;
  readonly low: number;
  readonly high: number;
  readonly runs: number;
}

const MAX_BYTES = 1024 * 1024;
/** Runs of a type that are remembered. */
const REMEMBERED = 20;
const MOST_TYPES = 500;
/** Runs needed for a useful average. */
const ENOUGH = 3;
/** Runs of a script that say what the next one costs: scripts change. */
const LATELY = 10;

/** What runs of an agent type cost on this machine, by model; saved for the next session. */
export class PastRuns {
  readonly #path: string;
  #runs: Map<string, Costs> | null = null;
  /** Of this session alone: another session may have saved since. */
  readonly #own: { readonly key: string; readonly usd: number }[] = [];

  constructor(home: string) {
    this.#path = join(home, "past-runs.json");
  }

  /** Returns the likely dollars of a run, or null if too few runs are known. */
  average(type: string, model: string): number | null {
    this.#runs ??= this.#read();
    const costs = this.#runs.get(keyOf(type, model)) ?? [];
    return costs.length < ENOUGH ? null : costs.reduce((sum, usd) => sum + usd, 0) / costs.length;
  }

  /** Returns what its last runs cost on average, at least and at most, and how many they were (at most ten); null without any. */
  lately(type: string, model: string): Lately | null {
    this.#runs ??= this.#read();
    const last = (this.#runs.get(keyOf(type, model)) ?? []).slice(-LATELY);
    if (last.length === 0) return null;
    const usd = last.reduce((sum, one) => sum + one, 0) / last.length;
    return { usd, low: Math.min(...last), high: Math.max(...last), runs: last.length };
  }

  record(type: string, model: string, usd: number): void {
    this.#runs ??= this.#read();
    const key = keyOf(type, model);
    this.#own.push({ key, usd });
    remember(this.#runs, key, usd);
  }

  /** A failure to write is ignored: the next session knows less. */
  save(): void {
    if (this.#own.length === 0) return;
    const all = this.#read();
    for (const { key, usd } of this.#own.splice(0)) remember(all, key, usd);
    // Without it, estimates are a guess, as in a first session.
    replaceCache(this.#path, JSON.stringify([...all].slice(-MOST_TYPES)));
  }

  #read(): Map<string, Costs> {
    const content = diskFiles.read(this.#path, MAX_BYTES);
    try {
      const runs = z.array(z.tuple([z.string(), z.array(z.number())]));
      return new Map(content.type === "text" ? runs.parse(JSON.parse(content.text)) : []);
    } catch {
      return new Map();
    }
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
