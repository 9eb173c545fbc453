/**
 * `npm run fuzz:commands -- [--n 100000] [--seed 1] [--only NAME]`: what the policy allows, run for real under strace;
 * `--confinement`: lines of all sorts in the read-only confinement, without asking the policy.
 */

import { parseArgs } from "node:util";
import type { Found } from "../test/policy/fuzz/check-lines.ts";
import { fuzz } from "../test/policy/fuzz/fuzz.ts";
import { fuzzConfinement } from "../test/policy/fuzz/fuzz-confinement.ts";
import { observationProblem } from "../test/policy/fuzz/run-lines.ts";

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      n: { type: "string", default: "10000" },
      seed: { type: "string", default: "1" },
      only: { type: "string" },
      confinement: { type: "boolean", default: false },
    },
  });
  const problem = observationProblem();
  if (problem !== null) {
    console.error(`fuzz:commands cannot run: ${problem}.`);
    return 2;
  }
  const [lines, seed] = [Number(values.n), Number(values.seed)];
  if (values.confinement) {
    const counts = await fuzzConfinement(lines, seed, print);
    console.log(JSON.stringify({ seed, ...counts }));
    return counts.differed > 0 ? 1 : 0;
  }
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort());
  const counts = await fuzz({
    ...{ lines, seed, only: values.only ?? null, onFound: print, signal: stop.signal },
    onBatch: ({ generated, ran, differed }) => console.error(JSON.stringify({ generated, ran, differed })),
  });
  console.log(JSON.stringify({ seed, ...counts }));
  return counts.differed > 0 ? 1 : 0;
}

/** One difference, so that it can be typed again. */
function print({ line, claim, what }: Found): void {
  const deny = "deny" in claim ? { deny: claim.deny?.rule ?? null } : {};
  console.log(JSON.stringify({ line: line.text, row: line.row, claim: claim.kind, ...deny, what }));
}

process.exitCode = await main();
