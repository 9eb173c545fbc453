import { agentInput, delegate, sections } from "./delegate.ts";
import { type Instruction, instructionsIn } from "./instructions.ts";
import { type OfflinePlan, type PlanResult, together } from "./plan.ts";
import { change, cut, type OfflineTools, readWhole } from "./tools.ts";

type Step<Type extends Instruction["type"]> = Extract<Instruction, { readonly type: Type }>;

/** Carries instructions out in their order. After one that failed the rest is left undone: it may build on it. */
export function* carryOut(
  steps: readonly Instruction[],
  tools: OfflineTools,
  answer: (text: string) => OfflinePlan<PlanResult>,
): OfflinePlan<PlanResult> {
  const told: string[] = [];
  for (const [at, step] of steps.entries()) {
    const { ok, text } = yield* step.type === "question" ? answer(step.text) : carryOutOne(step, tools);
    told.push(ok || step.type !== "question" ? text : `“${step.text}” was not done: ${text}`);
    if (ok) continue;
    const left = steps.length - at - 1;
    if (left > 0)
      told.push(
        left === 1 ? "The step after that was not done." : `The ${left} steps after that were not done.`,
      );
    return { ok, text: told.join("\n\n") };
  }
  return { ok: true, text: told.join("\n\n") };
}

function carryOutOne(
  step: Exclude<Instruction, { type: "question" }>,
  tools: OfflineTools,
): OfflinePlan<PlanResult> {
  switch (step.type) {
    case "replace":
      return replace(step, tools);
    case "append":
      return append(step, tools);
    case "create":
      return create(step, tools);
    case "run":
      return run(step.command, tools);
    case "call":
      return call(step, tools);
    case "background":
      return inBackground(step.task, tools);
    case "parallel":
      return inParallel(step.tasks, tools);
    default:
      return step satisfies never;
  }
}

function* replace({ file, from, to, all }: Step<"replace">, tools: OfflineTools): OfflinePlan<PlanResult> {
  const path = tools.absolute(file);
  const shown = tools.shown(path);
  // Edit wants the file to be read before.
  const read = yield* change(tools, "Read", { file_path: path });
  if (!read.ok) return failed(`${shown} was not changed`, read.text);
  const input = { file_path: path, old_string: from, new_string: to, ...(all ? { replace_all: true } : {}) };
  const edited = yield* change(tools, "Edit", input);
  if (!edited.ok) return failed(`${shown} was not changed`, edited.text);
  return {
    ok: true,
    text: `In ${shown}, ${all ? "every " : ""}${brief(from)} was replaced with ${brief(to)}.`,
  };
}

/** Adds a last line; the file ends with a line break afterwards if it did before. */
function* append({ file, text }: Step<"append">, tools: OfflineTools): OfflinePlan<PlanResult> {
  const path = tools.absolute(file);
  const shown = tools.shown(path);
  const lines = yield* readWhole(tools, path);
  if (typeof lines === "string") return failed(`Nothing was appended to ${shown}`, lines);
  const all = lines.join("\n");
  let from = lines.length - 1;
  const tail = () => lines.slice(from).join("\n");
  while (from > 0 && (tail() === "" || all.indexOf(tail()) !== all.lastIndexOf(tail()))) from -= 1;
  const written =
    lines.length === 0
      ? yield* change(tools, "Write", { file_path: path, content: `${text}\n` })
      : yield* change(tools, "Edit", {
          file_path: path,
          old_string: tail(),
          new_string: `${tail()}\n${text}`,
        });
  if (!written.ok) return failed(`Nothing was appended to ${shown}`, written.text);
  return { ok: true, text: `${brief(text)} was appended: ${shown}:${lines.length + 1}` };
}

/** Never writes over a file: Write would not ask. */
function* create({ file, text }: Step<"create">, tools: OfflineTools): OfflinePlan<PlanResult> {
  const path = tools.absolute(file);
  const shown = tools.shown(path);
  const found = yield* change(tools, "Read", { file_path: path });
  if (found.ok) return { ok: false, text: `${shown} exists already, so nothing was written to it.` };
  if (!/does not exist|no such file|not found|ENOENT/i.test(found.text))
    return failed(`${shown} was not created`, found.text);
  const written = yield* change(tools, "Write", { file_path: path, content: text });
  return written.ok
    ? { ok: true, text: `${shown} was created.` }
    : failed(`${shown} was not created`, written.text);
}

function* run(command: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const { ok, text } = yield* change(tools, "Bash", bashInput(command));
  if (!ok) return failed(`\`${command}\` failed`, text);
  const code = /\[Exit code (\d+)\]\s*$/.exec(text)?.[1] ?? "0";
  const output = shortened(text.replace(/\n?\[Exit code \d+\]\s*$/, ""));
  const printed =
    output === "" || output === "(no output)"
      ? " and printed nothing."
      : `:\n\n${output.replace(/^(?=.)/gm, "    ")}`;
  return {
    ok: code === "0",
    text: `\`${command}\` ${code === "0" ? "ran" : `failed with exit code ${code}`}${printed}`,
  };
}

/** Any tool by its name. */
function* call({ tool, input }: Step<"call">, tools: OfflineTools): OfflinePlan<PlanResult> {
  const { ok, text } = yield* change(tools, tool, input);
  return ok ? { ok, text: shortened(text) } : failed(`${tool} failed`, text);
}

/** A command goes into the background by itself, any other task as an agent. */
function* inBackground(task: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const command = commandOf(task);
  const isCommand = command !== undefined && tools.takes("Bash", "run_in_background");
  const input = isCommand ? bashInput(command) : agentInput(task);
  const started = yield* change(tools, isCommand ? "Bash" : "Agent", { ...input, run_in_background: true });
  const what = isCommand ? `\`${command}\`` : task;
  if (!started.ok) return failed(`Nothing was started in the background for ${what}`, started.text);
  return { ok: true, text: `Started in the background: ${what}\nIts end will be reported here.` };
}

/** Commands run as calls of one reply, other tasks in an agent each. */
function* inParallel(tasks: readonly string[], tools: OfflineTools): OfflinePlan<PlanResult> {
  const commands = tasks.flatMap((task) => commandOf(task) ?? []);
  const plans =
    commands.length === tasks.length
      ? commands.map((command) => run(command, tools))
      : tasks.map((task) => delegate(task, tools));
  return sections(tasks, yield* together(plans));
}

/** The command of a task that is nothing but one. */
function commandOf(task: string): string | undefined {
  const [only, ...more] = instructionsIn(task) ?? [];
  return only?.type === "run" && more.length === 0 ? only.command : undefined;
}

function bashInput(command: string) {
  return { command, description: `Run ${cut(command.replace(/\s+/g, " "), 60)}` };
}

function failed(what: string, why: string): PlanResult {
  return { ok: false, text: `${what}: ${shortened(why)}` };
}

function brief(text: string): string {
  return `“${cut(text.replace(/\n/g, "\\n"), 80)}”`;
}

const MOST_LINES = 20;

/** The beginning and the end of a long text. */
function shortened(text: string): string {
  const lines = text.trimEnd().split("\n");
  const left = lines.length - MOST_LINES;
  return (left > 0 ? lines.toSpliced(MOST_LINES / 2, left, `(${left} lines left out)`) : lines).join("\n");
}
