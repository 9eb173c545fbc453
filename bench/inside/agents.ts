import { answer, given } from "../own-process.ts";
import { quantile } from "../samples.ts";

/** So many Explore agents at once under one built session, over a real gateway. */
export interface AgentsTask {
  readonly agents: number;
  readonly turns: number;
  readonly url: string;
  readonly cwd: string;
  readonly home: string;
}

export interface AgentsRun {
  /** From the first spawn to the last summary. */
  readonly wallMs: number;
  /** Of the whole process, from the opening of the session to its end. */
  readonly cpuMs: number;
  /** What the process had grown by when every agent was in its last turn. */
  readonly rssMiB: number;
  /** How late timers of the session's thread fired: from the first spawn, and once all agents were at work. */
  readonly lateness: { readonly whole: Lateness; readonly working: Lateness };
}

export interface Lateness {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const EVERY_MS = 5;

const { agents, turns, url, cwd, home } = given<AgentsTask>();
const dist = new URL("../../dist/index.js", import.meta.url).href;
const { Session }: typeof import("../../src/index.ts") = await import(dist);

const before = process.cpuUsage();
const turnsOf = new Map<string, number>();
let rss = 0;
let allAtWorkAt = Number.POSITIVE_INFINITY;
const session = new Session({
  cwd,
  home,
  model: { provider: "anthropic", apiKey: "test-key", baseURL: url },
  limits: { maxAgents: agents },
});
void (async () => {
  for await (const event of session.events()) {
    if (event.type !== "agent") continue;
    turnsOf.set(event.view.id, event.view.turns);
    const fewest = turnsOf.size < agents ? 0 : Math.min(...turnsOf.values());
    if (fewest >= 1) allAtWorkAt = Math.min(allAtWorkAt, performance.now());
    // Their last replies are held back until all have asked for them.
    if (rss === 0 && fewest === turns - 1) rss = process.memoryUsage.rss();
  }
})();
const rssBefore = process.memoryUsage.rss();
const lateness = watchLateness();
const began = performance.now();
const results = await Promise.all(
  Array.from({ length: agents }, (_, n) => session.spawn({ prompt: `Answer question ${n}.` })),
);
const wallMs = performance.now() - began;
const late = lateness();
await session.close();
for (const { summary } of results) {
  if (summary.status !== "done") throw new Error(`An agent ended as ${summary.status}: ${summary.reason}`);
}
const { user, system } = process.cpuUsage(before);
await answer({
  wallMs,
  cpuMs: (user + system) / 1000,
  rssMiB: (rss - rssBefore) / 2 ** 20,
  lateness: {
    whole: latenessOf(late.map(({ ms }) => ms)),
    working: latenessOf(late.filter(({ at }) => at >= allAtWorkAt).map(({ ms }) => ms)),
  },
} satisfies AgentsRun);
process.exit();

/** Starts a chain of timers; the answer ends it and gives each timer's time and how late it was. */
function watchLateness(): () => { at: number; ms: number }[] {
  const late: { at: number; ms: number }[] = [];
  let due = performance.now() + EVERY_MS;
  let timer: NodeJS.Timeout;
  const tick = () => {
    const at = performance.now();
    late.push({ at, ms: Math.max(0, at - due) });
    due = at + EVERY_MS;
    timer = setTimeout(tick, EVERY_MS);
  };
  timer = setTimeout(tick, EVERY_MS);
  return () => {
    clearTimeout(timer);
    return late;
  };
}

function latenessOf(late: readonly number[]): Lateness {
  const samples = late.length > 0 ? late : [0];
  return { p50: quantile(samples, 0.5), p99: quantile(samples, 0.99), max: Math.max(...samples) };
}
