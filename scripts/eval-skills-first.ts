/**
 * `npm run eval:skills [-- --json]`: whether the model that the environment names (ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL,
 * ANTHROPIC_MODEL) loads a skill that matches before it does anything else, and none where none does (A12.8). Exits with
 * 1 where it once did not; otherwise with 2 where no model could be reached, or a conversation told nothing.
 */

import { parseArgs } from "node:util";
import { UsageError } from "../src/cli/exit-codes.ts";
import { chooseModel, type ModelChoice } from "../src/cli/model-choice.ts";
import { checkBaseURL } from "../src/model/base-url.ts";
import { cases } from "../test/evals/skills-first/cases.ts";
import { evaluate, lineOf } from "../test/evals/skills-first/evaluate.ts";

const NOTHING_TOLD = 2;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });
  const { source, model }: ModelChoice = chooseModel({ offline: false }, process.env, checkBaseURL);
  if (source.provider === "offline") {
    console.error(
      "eval:skills: the offline model loads no skills; set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server of your own.",
    );
    return NOTHING_TOLD;
  }
  const asked = { source, ...(model === undefined ? {} : { model }) };
  const evaluation = await evaluate(cases, asked, (violated) => {
    if (!values.json) console.log(lineOf(violated));
  });
  const { judged, violations, open } = evaluation;
  const count = violations.length;
  if (values.json) {
    console.log(JSON.stringify({ cases: cases.length, count, ...evaluation }, null, 2));
  } else {
    console.log(`${count} ${count === 1 ? "violation" : "violations"} in ${judged} of ${cases.length} cases`);
  }
  for (const { case: name, reason } of open) console.error(`eval:skills: not judged: ${name}: ${reason}`);
  if (count > 0) return 1;
  return open.length === 0 ? 0 : NOTHING_TOLD;
}

try {
  process.exitCode = await main();
} catch (error) {
  // Not 1, which says that there are violations.
  console.error("eval:skills:", error instanceof UsageError ? error.message : error);
  process.exitCode = NOTHING_TOLD;
}
