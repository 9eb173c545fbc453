import { parseArgs } from "node:util";
import { type CrashReport, crashLoop } from "../test/faults/crash-loop.ts";
import { faultSessions } from "../test/faults/fault-sessions.ts";
import { type Form, memoryRun } from "../test/faults/memory-run.ts";

/**
 * The faults again and again, with random seeds, for so many minutes; with `--crash N` a session with eight agents is
 * killed N times (more sessions where one ends earlier); with `--seed S` once more what failed. Exits with 1 at the
 * first fault, and says its seed and where everything lies.
 */
const USAGE = "npm run test:soak -- [--minutes N] [--crash KILLS] [--memory] [--seed S]";
const FORMS: readonly Form[] = ["arrays", "map", "buffers"];
const AGENTS = 16;
/** Long enough that a session lives through all of the kills, if it is lucky. */
const STEPS_OF_CRASH = 72;

const { values } = parseArgs({
  options: {
    minutes: { type: "string" },
    crash: { type: "string" },
    memory: { type: "boolean" },
    seed: { type: "string" },
  },
});
const numberOf = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  const number = Number(text);
  if (text !== "" && Number.isFinite(number) && number >= 0) return number;
  console.error(`${text} is no number. Usage: ${USAGE}`);
  process.exit(2);
};
const { minutes, crash, seed } = {
  minutes: numberOf(values.minutes),
  crash: numberOf(values.crash),
  seed: numberOf(values.seed),
};
const started = performance.now();

if (crash !== null) await crashes(crash, seed);
else if (values.memory) await memory();
else if (seed !== null) await round(seed);
else await soak(minutes ?? 1);

async function soak(wanted: number): Promise<void> {
  let rounds = 0;
  const until = started + wanted * 60_000;
  do {
    await round(randomSeed());
    rounds += 1;
    // It is slow, and has no seed.
    if (rounds % 10 === 0) await memory();
  } while (performance.now() < until);
  console.log(`${rounds} rounds without a fault`);
}

async function round(of: number): Promise<void> {
  const reports = await faultSessions(of);
  const wrong = reports.filter(({ faults }) => faults.length > 0);
  for (const { number, where, faults } of wrong)
    console.error(`fault ${number}, ${where}:\n  ${faults.join("\n  ")}`);
  if (wrong.length > 0) failed(of);
  const crashed = await crashLoop({ seed: of, kills: 15, steps: 4 });
  judge(crashed);
  say(`seed ${of}: ${reports.length} faults, ${figures([crashed])}`);
}

async function crashes(wanted: number, first: number | null): Promise<void> {
  const all: CrashReport[] = [];
  const kills = () => all.reduce((sum, one) => sum + one.kills, 0);
  while (kills() < wanted) {
    const of = all.length === 0 && first !== null ? first : randomSeed();
    const one = await crashLoop({ seed: of, kills: wanted - kills(), steps: STEPS_OF_CRASH });
    judge(one);
    all.push(one);
    say(`seed ${of}: ${figures([one])}`);
  }
  console.log(`${all.length} session${all.length === 1 ? "" : "s"}: ${figures(all)}`);
}

async function memory(): Promise<void> {
  for (const form of FORMS) {
    const { faults, ends, agents, peakMb, folder } = await memoryRun(form, AGENTS);
    if (faults.length > 0) {
      console.error(`memory taken as ${form}:\n  ${faults.join("\n  ")}\nSee ${folder}`);
      process.exit(1);
    }
    const done = agents.filter(({ status }) => status === "done").length;
    say(
      `memory taken as ${form}: processes ended with ${ends.join(", ")}; ${done} of ${agents.length} agents done; at most ${peakMb} MB`,
    );
  }
}

function judge({ faults, seed: of, folder }: CrashReport): void {
  if (faults.length === 0) return;
  console.error(`killed and taken up again:\n  ${faults.join("\n  ")}\nSee ${folder}`);
  failed(of);
}

function failed(of: number): never {
  console.error(`Again with: npm run test:soak -- --seed ${of}${crash === null ? "" : ` --crash ${crash}`}`);
  process.exit(1);
}

function figures(all: readonly CrashReport[]): string {
  const sum = (of: (one: CrashReport) => number) => all.reduce((total, one) => total + of(one), 0);
  const most = (of: (one: CrashReport) => number) => Math.max(...all.map(of));
  return [
    `${sum(({ kills }) => kills)} kills`,
    `${sum(({ requests }) => requests)} requests`,
    `${sum(({ records }) => records)} records`,
    `${sum(({ effects }) => effects)} side effects, each once`,
    `${sum(({ unknown }) => unknown)} results unknown`,
    `at most ${most(({ peakMb }) => peakMb)} MB`,
    `processes gone within ${most(({ slowestEndMs }) => slowestEndMs)} ms`,
  ].join(", ");
}

function say(words: string): void {
  console.log(`${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s  ${words}`);
}

function randomSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}
