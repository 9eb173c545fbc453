/** `npm run fuzz:commands -- [--n 100000] [--seed 1] [--only NAME]`: what the policy allows, run for real under strace. */

import { parseArgs } from "node:util";
import { fuzz } from "../test/policy/fuzz/fuzz.ts";
import { observationProblem } from "../test/policy/fuzz/run-lines.ts";

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      n: { type: "string", default: "10000" },
      seed: { type: "string", default: "1" },
      only: { type: "string" },
    },
  });
  const problem = observationProblem();
  if (problem !== null) {
    console.error(`fuzz:commands cannot run: ${problem}.`);
    return 2;
  }
  const counts = await fuzz({
    lines: Number(values.n),
    seed: Number(values.seed),
    only: values.only ?? null,
    onFound: ({ line, claim, what }) =>
      console.log(
        JSON.stringify({
          line: line.text,
          row: line.row,
          claim: claim.kind,
          ...("deny" in claim ? { deny: claim.deny?.rule ?? null } : {}),
          what,
        }),
      ),
    onBatch: ({ generated, ran, differed }) => console.error(JSON.stringify({ generated, ran, differed })),
  });
  console.log(JSON.stringify({ seed: Number(values.seed), ...counts }));
  return counts.differed > 0 ? 1 : 0;
}

process.exitCode = await main();
