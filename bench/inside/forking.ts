import { readdirSync, readFileSync } from "node:fs";
import { answer, given } from "../own-process.ts";

/** A main conversation that reads itself full, and then starts so many agents in one reply. */
export interface ForkingTask {
  readonly url: string;
  readonly cwd: string;
  readonly home: string;
  readonly agents: number;
  /** Tokens of the model's window. */
  readonly window: number;
}

export interface ForkingRun {
  /** Of the whole tree of processes, when every agent waited for its reply. */
  readonly rssMiB: number;
  /** The same before the reply that started them. */
  readonly beforeMiB: number;
}

/** What comes from whoever plays the model. */
export type ToForking = { readonly type: "full" } | { readonly type: "all-wait" };
/** What it is told. */
export type FromForking = { readonly type: "measured" };

const MODEL = "bench-model";

const { url, cwd, home, agents, window } = given<ForkingTask>();
const dist = new URL("../../dist/index.js", import.meta.url).href;
const { Session }: typeof import("../../src/index.ts") = await import(dist);

let beforeMiB = 0;
let rssMiB = 0;
process.on("message", ({ type }: ToForking) => {
  const now = treeRss();
  if (type === "full") beforeMiB = now;
  else rssMiB = now;
  process.send?.({ type: "measured" } satisfies FromForking);
});
const session = new Session({
  ...{ cwd, home },
  model: { name: MODEL, provider: "anthropic", apiKey: "test-key", baseURL: url },
  context: { compaction: { windows: { [MODEL]: window } } },
  // No thread is booted beyond those that are needed.
  limits: { maxAgents: agents, maxTurns: 1_000, confirmAboveUsd: 1_000_000 },
});
const { summary } = await session.prompt("Read all parts, then look at them from all sides.");
await session.close();
if (summary.status !== "done") throw new Error(`It ended as ${summary.status}: ${summary.reason}`);
await answer({ rssMiB, beforeMiB } satisfies ForkingRun);
process.exit();

/** MiB of this process and of those it has started, and they. */
function treeRss(): number {
  const parents = new Map<number, number>();
  const rss = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const status = readFileSync(`/proc/${name}/status`, "latin1");
      const field = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
      parents.set(Number(name), field("PPid"));
      rss.set(Number(name), field("VmRSS"));
    } catch {
      // It has ended since.
    }
  }
  const isOurs = (pid: number): boolean =>
    pid === process.pid || (parents.has(pid) && isOurs(parents.get(pid) ?? 0));
  let kilobytes = 0;
  for (const [pid, size] of rss) if (isOurs(pid)) kilobytes += size;
  return kilobytes / 1024;
}
