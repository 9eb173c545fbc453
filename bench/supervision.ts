import { closeSync, cpSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { journalFile, sessionPaths } from "../src/journal/paths.ts";
import { readJournal } from "../src/journal/reader.ts";
import type { SessionEvent } from "../src/journal/session-events.ts";
import { startJournal } from "../src/journal/thread-journal.ts";
import { systemClock } from "../src/lib/clock.ts";
import { SessionId } from "../src/mailbox/ids.ts";
import { type Ground, onFreshGround } from "./folders.ts";
import type { LongSession, LongSessionTask } from "./inside/long-session.ts";
import type { ResumingRun, ResumingTask } from "./inside/resuming.ts";
import type { WakingRun, WakingTask } from "./inside/waking.ts";
import { inOwnProcess } from "./own-process.ts";
import { atMost, type BenchOptions, type BenchResult, timesFloor } from "./result.ts";
import { interleaved, median, p95, quantile, rounded } from "./samples.ts";

/** Records of the session that is taken up again. */
const EVENTS = 10_000;
const AGENTS = 8;
const CALLS = 10;
/** Agents whose records are written at the same time, each waiting for its own. */
const WRITERS = 32;

/**
 * What is promised of a session that must lose nothing (issue 5): its records, its turns, its waking, its resuming.
 * What it costs to watch one stands under `live`.
 */
export async function run({ quick }: BenchOptions): Promise<BenchResult[]> {
  return onFreshGround(async (ground) => {
    const task: LongSessionTask = { ...ground, agents: AGENTS, calls: CALLS, events: EVENTS };
    const env = { NODE_COMPILE_CACHE: ground.compileCache };
    const session = await inOwnProcess<LongSession>(
      new URL("./inside/long-session.ts", import.meta.url),
      task,
      env,
    );
    const records = await eventsOf(session);
    return [
      await manyAtOnce(ground, records, quick ? 5_000 : 50_000),
      ...(await turns(ground, records, quick ? 20 : 200)),
      await waking(ground, env, quick ? 30 : 300),
      ...(await resuming(ground, env, session, records.length, quick ? 3 : 11)),
    ];
  });
}

async function eventsOf({ folder }: LongSession): Promise<SessionEvent[]> {
  const reading = await readJournal(journalFile(folder));
  if (reading.type === "refused") throw new Error(reading.reason);
  return reading.records.map(({ event }) => event);
}

/** Records of turns, by many writers that each wait for the disk before they go on. */
async function manyAtOnce(
  ground: Ground,
  events: readonly SessionEvent[],
  count: number,
): Promise<BenchResult> {
  const durable = events.filter(({ type }) => type === "turn").slice(0, 100);
  const journal = journalIn(ground, "benchmark1");
  const writer = async (writes: number) => {
    for (let n = 0; n < writes; n++) await journal.append(at(durable, n));
  };
  try {
    await writer(50);
    const ms = await timed(() => Promise.all(Array.from({ length: WRITERS }, () => writer(count / WRITERS))));
    const bytes = durable.reduce((sum, event) => sum + JSON.stringify(event).length, 0) / durable.length;
    return {
      name: `a durable turn, ${WRITERS} agents at once`,
      unit: "µs",
      ours: (ms * 1000) / count,
      floor: null,
      // 5,000 a second.
      target: atMost(200),
      note: `${rounded((count * 1000) / ms)} a second, of ${rounded(bytes)} bytes each`,
    };
  } finally {
    await journal.close();
  }
}

/** Records of one turn in their order; those that are awaited end a group. */
type Group = readonly SessionEvent[];

async function turns(
  ground: Ground,
  events: readonly SessionEvent[],
  rounds: number,
): Promise<BenchResult[]> {
  const [turn] = turnsOf(events);
  if (turn === undefined) throw new Error("The session has no turn of agents that read.");
  const ofReads = await costOfTurn(ground, [turn], rounds);
  // The same calls, had they effects: each is durable before it begins.
  const groups: Group[] = [];
  for (const event of turn) {
    const open = groups.at(-1);
    if (open === undefined || open.at(-1)?.type === "before") groups.push([event]);
    else groups[groups.length - 1] = [...open, event];
  }
  const ofWrites = await costOfTurn(ground, groups, rounds);
  return [
    { name: `records of a turn of ${CALLS} reads, 1 commit`, ...ofReads },
    { name: `records of a turn of ${CALLS} writes, ${groups.length} commits`, ...ofWrites },
  ];
}

/** Each whole turn of one agent: from its reply to its turn record. */
function turnsOf(events: readonly SessionEvent[]): SessionEvent[][] {
  const first = events.find((event) => event.type === "turn" && event.actor !== "main");
  const actor = first?.type === "turn" ? first.actor : undefined;
  const own = events.filter((event) => "actor" in event && event.actor === actor);
  const turns: SessionEvent[][] = [[]];
  for (const event of own) {
    turns.at(-1)?.push(event);
    if (event.type === "turn") turns.push([]);
  }
  return turns.slice(1, -1);
}

async function costOfTurn(
  ground: Ground,
  groups: readonly Group[],
  rounds: number,
): Promise<Omit<BenchResult, "name">> {
  const journal = journalIn(ground, "benchmark2");
  const bare = openSync(join(ground.cwd, "bare"), "w");
  const lines = groups.map((group) => group.map((event) => `${JSON.stringify(event)}\n`).join(""));
  try {
    const { ours, floor } = await interleaved(rounds, {
      ours: () =>
        timed(async () => {
          for (const group of groups) {
            for (const event of group.slice(0, -1)) journal.note(event);
            await journal.append(at(group, group.length - 1));
          }
        }),
      floor: () =>
        timed(async () => {
          for (const line of lines) {
            writeSync(bare, line);
            fdatasyncSync(bare);
          }
        }),
    });
    return {
      unit: "ms",
      ours: median(ours),
      floor: median(floor),
      target: timesFloor(2),
      note: `${p95(ours)}; floor: the same bytes by as many write and fdatasync, ${p95(floor)}`,
    };
  } finally {
    closeSync(bare);
    await journal.close();
    rmSync(journal.folder, { recursive: true, force: true });
  }
}

async function waking(
  { cwd, home }: Ground,
  env: Readonly<Record<string, string>>,
  rounds: number,
): Promise<BenchResult> {
  const task: WakingTask = { cwd, home, rounds };
  const samples = await inOwnProcess<WakingRun>(new URL("./inside/waking.ts", import.meta.url), task, env);
  return {
    name: "an idle conversation woken by a result from the background, p99",
    unit: "ms",
    ours: quantile(samples, 0.99),
    floor: null,
    target: atMost(100),
    note: `median ${rounded(median(samples))}; ${samples.length} times, from the agent's last reply to the next request`,
  };
}

async function resuming(
  { cwd, home }: Ground,
  env: Readonly<Record<string, string>>,
  { id, folder }: LongSession,
  events: number,
  rounds: number,
): Promise<BenchResult[]> {
  const runs: ResumingRun[] = [];
  const file = new URL("./inside/resuming.ts", import.meta.url);
  const parsing: number[] = [];
  // The first one is not counted: nothing is compiled yet.
  for (let round = -1; round < rounds; round++) {
    const copy = `${home}-${round + 1}`;
    cpSync(home, copy, { recursive: true, filter: (path) => !path.endsWith(".sock") });
    const bare = await timed(async () => {
      for (const line of readFileSync(journalFile(folder), "utf8").split("\n")) if (line) JSON.parse(line);
    });
    const task: ResumingTask = { home: copy, cwd, id };
    const one = await inOwnProcess<ResumingRun>(file, task, env);
    rmSync(copy, { recursive: true, force: true });
    if (one.unfinished !== AGENTS + 1) throw new Error(`${one.unfinished} of ${AGENTS + 1} were unfinished.`);
    if (round < 0) continue;
    runs.push(one);
    parsing.push(bare);
  }
  const whole = runs.map((one) => one.process);
  return [
    {
      name: `resume of ${events} records, from the start of the process to the first request`,
      unit: "ms",
      ours: median(whole),
      floor: null,
      target: atMost(1_000),
      note: `${p95(whole)}; ${AGENTS + 1} of ${AGENTS + 1} conversations go on`,
    },
    {
      name: "  from resumeSession on",
      unit: "ms",
      ours: median(runs.map(({ session }) => session)),
      floor: median(parsing),
      target: null,
      note: "floor: the file read and its lines parsed",
    },
  ];
}

function journalIn({ home, cwd }: Ground, id: string) {
  return startJournal({ ...sessionPaths(home, cwd, SessionId.parse(id)), clock: systemClock });
}

function at<T>(list: readonly T[], place: number): T {
  const found = list[place % list.length];
  if (found === undefined) throw new Error("The list is empty.");
  return found;
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await act();
  return performance.now() - began;
}
