import { parseArgs } from "node:util";
import { ENGINES, runFleet } from "../test/faults/fleet/loop.ts";

/**
 * A session with many agents on runners of this machine, over a real server, while runners, server, session and connections are
 * killed, frozen and cut at random moments. Exits with 1 if a promise was broken, and says where everything lies.
 */
const USAGE =
  "node scripts/chaos.ts [--engine redis|postgres] [--agents N] [--seconds N] [--seed N] [--runners N] [--slots N] [--steps N] [--patience N]";

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "redis" },
    agents: { type: "string", default: "300" },
    seconds: { type: "string", default: "600" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    runners: { type: "string", default: "4" },
    slots: { type: "string", default: "8" },
    steps: { type: "string", default: "10" },
    patience: { type: "string", default: "2400" },
    pause: { type: "string", default: "15000" },
  },
});
const engine = ENGINES.find((name) => name === values.engine);
const number = (text: string) => {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  console.error(`Usage: ${USAGE}`);
  process.exit(2);
};
if (engine === undefined) {
  console.error(`Usage: ${USAGE}`);
  process.exit(2);
}
const pause = number(values.pause);
const seed = number(values.seed);
console.log(`seed ${seed}, ${engine}`);
const { faults, figures, folder } = await runFleet({
  ...{ seed, engine, agents: number(values.agents), seconds: number(values.seconds) },
  ...{ runners: number(values.runners), slots: number(values.slots), steps: number(values.steps) },
  ...{ patience: number(values.patience), pause: [pause / 2, pause], onLine: (line) => console.log(line) },
});
console.log(JSON.stringify(figures, null, 1));
if (faults.length > 0) {
  console.error(`${faults.length} faults:\n  ${faults.slice(0, 60).join("\n  ")}\nSee ${folder}`);
  process.exit(1);
}
console.log("no fault");
