/**
 * `npm run test:merges -- PATH [--max 100] [--seed 1]`: merges of a real repository's history, played by two agents in
 * two worktrees of a clone. Exits with 1 where anything came out other than git makes it.
 */

import { parseArgs } from "node:util";
import { replayMerges } from "../test/worktrees/replay/replay.ts";

const USAGE = "npm run test:merges -- PATH [--max N] [--seed S]";

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { max: { type: "string", default: "100" }, seed: { type: "string", default: "1" } },
  });
  const [path] = positionals;
  const [max, seed] = [Number(values.max), Number(values.seed)];
  if (path === undefined || !Number.isSafeInteger(max) || max < 1 || !Number.isSafeInteger(seed)) {
    console.error(`Usage: ${USAGE}`);
    return 2;
  }
  let played = 0;
  const report = await replayMerges(path, {
    ...{ max, seed },
    onPlayed({ commit }, { type, ...more }) {
      played += 1;
      if (type === "different") console.log(`different: ${commit} ${JSON.stringify(more)}`);
      if (played % 25 === 0) console.error(`${played} merges`);
    },
  });
  console.log(JSON.stringify(report, null, 2));
  return report.different.length > 0 ? 1 : 0;
}

process.exitCode = await main();
