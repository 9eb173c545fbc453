import type { Desk } from "./desk.ts";
import type { Plan } from "./plan.ts";
import { shortDescription } from "./questions.ts";
import { type Done, done, failureOf, missing, shortened, undone } from "./step.ts";

export function* run(command: string, desk: Desk): Plan<Done> {
  const bash = desk.offered("Bash");
  if (bash === undefined) return missing("Bash");
  const input = { command, description: shortDescription(`Run ${command}`) };
  const [outcome] = yield [{ tool: bash, input, shared: false }];
  const failure = failureOf(outcome);
  if (failure !== undefined) return undone(`\`${command}\` failed: ${failure}`);
  const output = outcome?.type === "result" ? shortened(outcome.text) : "";
  if (output.trim() === "") return done(`\`${command}\` ran and printed nothing.`);
  return done(`\`${command}\` ran:\n\n${indented(output)}`);
}

function indented(text: string): string {
  return text.replace(/^/gm, "    ");
}
