import { parseArgs } from "node:util";
import { type CliCrashReport, cliCrashLoop } from "../test/faults/cli-crash/loop.ts";

/**
 * Kills the built program, with eight editing agents and a user beside them, until it was killed so often; resumes it each
 * time, and checks what each session has left. Exits with 1 at the first fault, and says its seed and where everything lies.
 */
const USAGE = "npm run test:crash -- [--kills N] [--seed S] [--steps N]";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    steps: { type: "string", default: "4" },
  },
});
const [kills = 0, first = 0, steps = 0] = [values.kills, values.seed, values.steps].map(Number);
if (![kills, first, steps].every(Number.isSafeInteger)) {
  console.error(`Usage: ${USAGE}`);
  process.exit(2);
}

const started = performance.now();
const all: CliCrashReport[] = [];
const sum = (of: (one: CliCrashReport) => number) => all.reduce((total, one) => total + of(one), 0);
for (let seed = first; all.length === 0 || sum((one) => one.kills) < kills; seed += 1) {
  const one = await cliCrashLoop({ seed, kills: kills - sum(({ kills: so }) => so), steps });
  all.push(one);
  if (one.faults.length > 0) {
    console.error(`seed ${seed}:\n  ${one.faults.join("\n  ")}\nSee ${one.folder}`);
    console.error(`Again with: npm run test:crash -- --seed ${seed} --kills ${kills} --steps ${steps}`);
    process.exit(1);
  }
  console.log(
    `${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s  seed ${seed}: ${figures([one])}`,
  );
}
console.log(`${all.length} session${all.length === 1 ? "" : "s"}: ${figures(all)}`);

function figures(of: readonly CliCrashReport[]): string {
  const total = (read: (one: CliCrashReport) => number) => of.reduce((so, one) => so + read(one), 0);
  return [
    `${total((one) => one.kills)} kills`,
    `${total((one) => one.workerKills)} of the git worker alone`,
    `${total((one) => one.requests)} requests`,
    `${total((one) => one.summaries)} compactions`,
    `${total((one) => one.lines)} lines of agents, each once`,
    `${total((one) => one.broughtIn.length)} brought in by hand`,
    `${total((one) => one.commits)} commits of the user`,
    `${total((one) => one.unknown)} results unknown`,
    `at most ${Math.max(...of.map((one) => one.peakMb))} MB`,
  ].join(", ");
}
