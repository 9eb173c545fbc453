import { inBackground, inParallel } from "./delegate.ts";
import { append, create, replace } from "./edit-steps.ts";
import { type Instruction, instructionsIn } from "./instructions.ts";
import type { Desk } from "./offered-tools.ts";
import type { Plan } from "./plan.ts";
import { questionsIn } from "./questions.ts";
import { run, runInBackground, runTogether } from "./run-step.ts";
import { search } from "./search.ts";
import { type Done, done, failureOf, shortened, undone } from "./step.ts";

/** Carries instructions out in their order. After one that failed nothing more is done: the next may build on it. */
export function* carryOut(steps: readonly Instruction[], desk: Desk, lead: boolean): Plan<string> {
  const told: string[] = [];
  for (const [at, step] of steps.entries()) {
    const { ok, text } = yield* carryOutOne(step, desk, lead);
    told.push(text);
    const left = steps.length - at - 1;
    if (ok || left === 0) continue;
    told.push(
      left === 1 ? "The step after that was not done." : `The ${left} steps after that were not done.`,
    );
    break;
  }
  return told.join("\n\n");
}

function carryOutOne(step: Instruction, desk: Desk, lead: boolean): Plan<Done> {
  switch (step.type) {
    case "replace":
      return replace(step, desk);
    case "append":
      return append(step, desk);
    case "create":
      return create(step, desk);
    case "run":
      return run(step.command, desk);
    case "call":
      return call(step, desk);
    case "background":
      return background(step.task, desk);
    case "parallel":
      return parallel(step.tasks, desk);
    case "question":
      return answerStep(step.text, desk, lead);
    default:
      return step satisfies never;
  }
}

function* call({ tool, input }: Extract<Instruction, { type: "call" }>, desk: Desk): Plan<Done> {
  if (!desk.has(tool)) return undone(`I cannot call ${tool}: it is not offered here.`);
  const [outcome] = yield [{ tool, input, shared: false }];
  const failure = failureOf(outcome);
  if (failure !== undefined) return undone(`${tool} failed: ${failure}`);
  return done(shortened(outcome?.type === "result" ? outcome.text : ""));
}

/** A command needs no agent to go on beside the conversation. */
function background(task: string, desk: Desk): Plan<Done> {
  const command = commandOf(task);
  const bash = desk.takes("Bash", "run_in_background") ? desk.offered("Bash") : undefined;
  if (command === undefined || bash === undefined) return inBackground(task, desk);
  return runInBackground(command, bash);
}

/** Nor do commands need agents to run beside each other. */
function parallel(tasks: readonly string[], desk: Desk): Plan<Done> {
  const commands = tasks.map(commandOf).filter((command) => command !== undefined);
  const bash = desk.offered("Bash");
  if (commands.length < tasks.length || bash === undefined) return inParallel(tasks, desk);
  return runTogether(commands, bash);
}

/** The command of a task that is nothing but one. */
function commandOf(task: string): string | undefined {
  const [only, ...more] = instructionsIn(task) ?? [];
  return only?.type === "run" && more.length === 0 ? only.command : undefined;
}

/** Among instructions only what asks is searched for: other words are a step that was not understood. */
function* answerStep(text: string, desk: Desk, lead: boolean): Plan<Done> {
  const questions = questionsIn(text);
  const asks =
    /[?？]\s*$|^(?:where|how|why|what|when|which|who|find|list|show|explain|describe|search|locate)\b/iu;
  if (questions.length === 0 || !asks.test(text))
    return undone(`I did not understand “${text}”, so nothing was done for it.`);
  return yield* search(questions, desk, lead);
}
