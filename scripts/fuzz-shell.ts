/** `npm run fuzz:shell -- --n 100000 [--seed 1]`: random commands to the real bash and to our parser. */

import { parseArgs } from "node:util";
import { difference, isUnderstood } from "../test/policy/shell/differences.ts";
import { randomCommand, seeded } from "../test/policy/shell/random-commands.ts";
import { observe, whyNoBash } from "../test/policy/shell/real-bash.ts";

const BATCH = 500;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { n: { type: "string", default: "10000" }, seed: { type: "string", default: "1" } },
  });
  const why = whyNoBash();
  if (why !== null) {
    console.error(`fuzz:shell: ${why}; install it (apt-get install bubblewrap) and run this again.`);
    return 2;
  }
  const count = Number(values.n);
  const random = seeded(Number(values.seed));
  const sums = { commands: 0, understood: 0, ran: 0, missed: 0 };
  while (sums.commands < count) {
    const batch = Array.from({ length: Math.min(BATCH, count - sums.commands) }, () => randomCommand(random));
    const understood = batch.filter(isUnderstood);
    const tried = await observe(understood);
    sums.commands += batch.length;
    sums.understood += understood.length;
    for (const [at, command] of understood.entries()) {
      const names = tried[at] ?? [];
      sums.ran += names.length > 0 ? 1 : 0;
      const found = difference(command, names);
      if (!found) continue;
      sums.missed += 1;
      console.log(`missed ${JSON.stringify(found.missed)} in ${JSON.stringify(found.command)}`);
    }
    if (sums.commands % 10_000 === 0) console.error(JSON.stringify(sums));
  }
  console.log(JSON.stringify(sums));
  return sums.missed > 0 ? 1 : 0;
}

process.exitCode = await main();
