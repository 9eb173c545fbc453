import type { Desk } from "./offered-tools.ts";
import type { Outcome, Plan } from "./plan.ts";
import { type Done, done, failureOf, missing, shortened, undone } from "./step.ts";

export function* run(command: string, desk: Desk): Plan<Done> {
  const bash = desk.offered("Bash");
  if (bash === undefined) return missing("Bash");
  const input = { command, description: descriptionOf(command) };
  const [outcome] = yield [{ tool: bash, input, shared: false }];
  return ranTo(command, outcome);
}

/** Commands that do not depend on each other: calls of one reply, which run side by side. */
export function* runTogether(commands: readonly string[], bash: string): Plan<Done> {
  const outcomes = yield commands.map((command) => ({
    ...{ tool: bash, input: { command, description: descriptionOf(command) }, shared: false },
  }));
  const ended = commands.map((command, at) => ranTo(command, outcomes[at]));
  return { ok: ended.every(({ ok }) => ok), text: ended.map(({ text }) => text).join("\n\n") };
}

function ranTo(command: string, outcome: Outcome | undefined): Done {
  const failure = failureOf(outcome);
  if (failure !== undefined) return undone(`\`${command}\` failed: ${failure}`);
  const { output, exitCode } = partsOf(outcome?.type === "result" ? outcome.text : "");
  const printed = output === "" ? " and printed nothing." : `:\n\n${indented(shortened(output))}`;
  return exitCode === 0
    ? done(`\`${command}\` ran${printed}`)
    : undone(`\`${command}\` failed with exit code ${exitCode}${printed}`);
}

/** A command that goes on while the conversation does; its end comes as a notification. */
export function* runInBackground(command: string, bash: string): Plan<Done> {
  const input = { command, description: descriptionOf(command), run_in_background: true };
  const [outcome] = yield [{ tool: bash, input, shared: false }];
  const failure = failureOf(outcome);
  if (failure !== undefined) return undone(`\`${command}\` was not started in the background: ${failure}`);
  return done(`Started in the background: \`${command}\`\nIts end will be reported here.`);
}

const LONGEST_DESCRIPTION = 60;

/** The command itself, as far as it stands on one short line. */
function descriptionOf(command: string): string {
  const line = command.trim().replace(/\s+/g, " ");
  return `Run ${line.length > LONGEST_DESCRIPTION ? `${line.slice(0, LONGEST_DESCRIPTION)}…` : line}`;
}

/** The runtime's last line says how it ended; another provider's tool may not have one. */
function partsOf(text: string): { output: string; exitCode: number } {
  const [, before, code] = /^([\s\S]*?)\n?\[Exit code (\d+)\]\s*$/.exec(text) ?? [];
  const output = (before ?? text).trimEnd();
  return { output: output === "(no output)" ? "" : output, exitCode: Number(code ?? 0) };
}

function indented(text: string): string {
  return text.replace(/^/gm, "    ");
}
