import { instructionsIn } from "./instructions.ts";
import type { Desk } from "./offered-tools.ts";
import type { Outcome, Plan, Wish } from "./plan.ts";
import { shortDescription } from "./questions.ts";
import { type Done, done, missing, undone } from "./step.ts";

/** A piece of work for an agent of its own. */
interface Task {
  readonly prompt: string;
  readonly agent: "Explore" | "general-purpose";
}

interface Report {
  readonly task: Task;
  readonly ended: "reported" | "failed" | "not-asked";
  readonly text: string;
}

/** One Explore agent for each question, all in one reply; the answers in the order of the questions. */
export function* delegateQuestions(questions: readonly string[], tool: string): Plan<Done> {
  return yield* delegate(
    questions.map((prompt): Task => ({ prompt, agent: "Explore" })),
    tool,
  );
}

/** One agent for each task, all in one reply: what edits or runs goes to an agent that can. */
export function* inParallel(prompts: readonly string[], desk: Desk): Plan<Done> {
  const tool = desk.offered("Agent");
  return tool === undefined ? missing("Agent") : yield* delegate(prompts.map(taskOf), tool);
}

/** One agent that goes on while the conversation does. */
export function* inBackground(prompt: string, desk: Desk): Plan<Done> {
  const tool = desk.offered("Agent");
  if (tool === undefined) return missing("Agent");
  if (!desk.takes("Agent", "run_in_background"))
    return undone(`Nothing was started in the background: the ${tool} tool here does not do that.`);
  const task = taskOf(prompt);
  const [outcome] = yield [agentWish(task, tool, { run_in_background: true })];
  const { ended, text } = reportOf(task, outcome);
  if (ended !== "reported") return undone(`Nothing was started in the background: ${text}`);
  return done(`Started in the background: ${prompt}\nIts end will be reported here.`);
}

function* delegate(tasks: readonly Task[], tool: string): Plan<Done> {
  const outcomes = yield tasks.map((task) => agentWish(task, tool, {}));
  const reports = tasks.map((task, at) => reportOf(task, outcomes[at]));
  const ok = reports.every(({ ended }) => ended === "reported");
  const [first] = reports;
  if (reports.length === 1 && first !== undefined) return { ok, text: toldOf(first) };
  const sections = reports.map((report) => `## ${report.task.prompt}\n\n${toldOf(report)}`);
  const failed = reports.filter(({ ended }) => ended !== "reported").length;
  const account = failed === 0 ? [] : [`${failed} of ${reports.length} agents brought no answer.`];
  return { ok, text: [...sections, ...account].join("\n\n") };
}

function taskOf(prompt: string): Task {
  return { prompt, agent: instructionsIn(prompt) === undefined ? "Explore" : "general-purpose" };
}

function agentWish({ prompt, agent }: Task, tool: string, more: Record<string, unknown>): Wish {
  const description = shortDescription(prompt);
  return { tool, input: { description, prompt, subagent_type: agent, ...more }, shared: false };
}

function reportOf(task: Task, outcome: Outcome | undefined): Report {
  if (outcome === undefined || outcome.type === "not-asked")
    return { task, ended: "not-asked", text: "no more calls may be made in this turn." };
  if (outcome.type === "error") return { task, ended: "failed", text: outcome.text.trim() };
  // A first block of two is the runtime's own line; the report is what follows.
  const [frame = "", ...blocks] = outcome.parts;
  return { task, ended: "reported", text: (blocks.length > 0 ? blocks.join("\n") : frame).trim() };
}

function toldOf({ ended, text }: Report): string {
  switch (ended) {
    case "reported":
      return text === "" ? "The agent ended without a report." : text;
    case "failed":
      return `This agent failed: ${text}`;
    case "not-asked":
      return `This was not asked: ${text}`;
    default:
      return ended satisfies never;
  }
}
