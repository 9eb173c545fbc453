import { parseJson } from "../../lib/json.ts";
import { isObject } from "../../lib/objects.ts";
import { shorten } from "../../lib/text.ts";
import { agentInput } from "./delegate.ts";
import { type Instruction, type Instructions, instructionsIn } from "./instructions.ts";
import { joinResults, type OfflinePlan, type Planner, type PlanResult } from "./plan.ts";
import { change, type OfflineTools, readWhole } from "./tools.ts";

/** Carries instructions out in their order. After one that failed the rest is left undone: it may build on it. */
export function* carryOut(steps: Instructions, tools: OfflineTools, answer: Planner): OfflinePlan {
  const [step, ...left] = steps;
  const first = yield* carryOutOne(step, tools, answer);
  const [next, ...others] = left;
  if (next === undefined) return first;
  const undone = others.length > 0 ? `The ${left.length} steps after that were` : "The step after that was";
  const stop = { ok: false, text: `${undone} not done.` };
  const rest = first.ok ? yield* carryOut([next, ...others], tools, answer) : stop;
  return joinResults([first, rest], "\n\n");
}

function* carryOutOne({ type, parts }: Instruction, tools: OfflineTools, answer: Planner): OfflinePlan {
  const { file = "", text = "", from = "", to = "", all = "", command = "", tool = "", task = "" } = parts;
  const file_path = tools.absolute(file);
  const shown = tools.shown(file_path);
  switch (type) {
    case "replace": {
      // Edit wants the file to be read before.
      const read = yield* change(tools, "Read", { file_path });
      const edit = { file_path, old_string: from, new_string: to, replace_all: all !== "" };
      const edited = read.ok ? yield* change(tools, "Edit", edit) : read;
      const what = `${all === "" ? "" : "every "}${brief(from)} was replaced with ${brief(to)}`;
      return report(edited, `In ${shown}, ${what}.`, `${shown} was not changed`);
    }
    case "append": {
      const lines = yield* readWhole(tools, file_path);
      const failed = `Nothing was appended to ${shown}`;
      if (typeof lines === "string") return report({ ok: false, text: lines }, "", failed);
      const done = yield* append(file_path, lines, text, tools);
      return report(done, `${brief(text)} was appended: ${shown}:${lines.length + 1}`, failed);
    }
    case "create": {
      const found = yield* change(tools, "Read", { file_path });
      // Never over a file: Write would not ask.
      if (found.ok) return { ok: false, text: `${shown} exists already, so nothing was written to it.` };
      const isMissing = /does not exist|no such file|not found|ENOENT/i.test(found.text);
      const written = isMissing ? yield* change(tools, "Write", { file_path, content: text }) : found;
      return report(written, `${shown} was created.`, `${shown} was not created`);
    }
    case "run": {
      const { ok, text: output, code } = yield* change(tools, "Bash", bashInput(command));
      if (code === undefined) return report({ ok: false, text: output }, "", `\`${command}\` failed`);
      const how = ok ? "ran" : `failed with exit code ${code}`;
      const isSilent = /^(?:\(no output\))?\s*$/.test(output);
      const printed = `:\n\n${shortened(output).replace(/^(?=.)/gm, "    ")}`;
      return { ok, text: `\`${command}\` ${how}${isSilent ? " and printed nothing." : printed}` };
    }
    case "call": {
      const input = parseJson(parts["json"] ?? "");
      if (!isObject(input)) return { ok: false, text: `${tool} was not called: its input is not JSON.` };
      const called = yield* change(tools, tool, input);
      return report(called, shortened(called.text), `${tool} failed`);
    }
    case "background": {
      const [only, ...more] = instructionsIn(task) ?? [];
      const program = more.length === 0 ? only?.parts["command"] : undefined;
      const what = program === undefined ? task : `\`${program}\``;
      const input = program === undefined ? agentInput(task) : bashInput(program);
      const name = program === undefined ? "Agent" : "Bash";
      const started = yield* change(tools, name, { ...input, run_in_background: true });
      const done = `Started in the background: ${what}\nIts end will be reported here.`;
      return report(started, done, `Nothing was started in the background for ${what}`);
    }
    case "question": {
      const answered = yield* answer(text);
      return report(answered, answered.text, `“${text}” was not done`);
    }
    default:
      return type satisfies never;
  }
}

/** Adds a last line by an edit of as many last lines as occur once; the file ends with a line break if it did before. */
function append(path: string, lines: readonly string[], text: string, tools: OfflineTools) {
  if (lines.length === 0) return change(tools, "Write", { file_path: path, content: `${text}\n` });
  const all = lines.join("\n");
  let from = lines.length - 1;
  const tail = () => lines.slice(from).join("\n");
  while (from > 0 && (tail() === "" || all.indexOf(tail()) !== all.lastIndexOf(tail()))) from -= 1;
  return change(tools, "Edit", { file_path: path, old_string: tail(), new_string: `${tail()}\n${text}` });
}

function report(result: PlanResult, done: string, failed: string): PlanResult {
  return result.ok ? { ok: true, text: done } : { ok: false, text: `${failed}: ${shortened(result.text)}` };
}

function bashInput(command: string) {
  return { command, description: `Run ${shorten(command.replace(/\s+/g, " "), 60)}` };
}

function brief(text: string): string {
  return `“${shorten(text.replace(/\n/g, "\\n"), 80)}”`;
}

/** The beginning and the end of a long text. */
function shortened(text: string): string {
  const lines = text.trimEnd().split("\n");
  const left = lines.length - 20;
  return (left > 0 ? lines.toSpliced(10, left, `(${left} lines left out)`) : lines).join("\n");
}
