import { isObject, parseJson } from "../../lib/json.ts";
import { defaultTitle, shorten } from "../../lib/text.ts";
import { joinResults, type OfflinePlan, type Planner, type PlanResult } from "./plan.ts";
import { change, type OfflineTools, readWhole } from "./tools.ts";

/** One thing to do, in the order in which it was asked for; `question`: a question, or what was not understood. */
export interface Instruction {
  readonly type: "replace" | "append" | "create" | "run" | "call" | "background" | "question";
  /** By name: `file`, `text`, `from`, `to`, `all`, `command`, `tool`, `json`, `task`. */
  readonly parts: Readonly<Record<string, string>>;
}

/** At least one. */
export type Instructions = readonly [Instruction, ...Instruction[]];

/** Longer prompts are pasted text: nothing in them is carried out. */
const LONGEST_PROMPT = 20_000;

const QUOTED = String.raw`(?:"(?:\\[\s\S]|[^"\\])*"|\x60[^\x60]*\x60|“[^”]*”|(?<!\w)'(?:\\[\s\S]|[^'\\]|'(?=\w))*')`;
const FILE = String.raw`(?:the\s+file\s+)?(?<file>${QUOTED}|[^\s"'\x60“,;]*[^\s"'\x60“,;.!])`;
const REPLACE = String.raw`(?:replace|change)\s+(?<all>(?:all|every|each)\s+)?(?<from>${QUOTED})\s+(?:with|by|to)\s+(?<to>${QUOTED})`;
const LINE = String.raw`(?:(?:the\s+)?line\s+)?(?<text>${QUOTED})`;
const FORMS = (
  [
    ["replace", String.raw`in\s+${FILE},?\s+${REPLACE}`],
    ["replace", String.raw`${REPLACE}\s+in\s+${FILE}`],
    ["append", String.raw`(?:append|add)\s+${LINE}\s+to\s+(?:the\s+end\s+of\s+)?${FILE}`],
    ["create", String.raw`(?:create|make)\s+${FILE}\s+(?:with|containing)\s+(?<text>${QUOTED})`],
    ["run", String.raw`(?:run|execute)\s+(?<command>(?!.\s*["'\x60”])${QUOTED})`],
    ["call", String.raw`call\s+(?<tool>[\w-]+)\s*(?<json>\{.*\})`],
    ["background", String.raw`in\s+(?:the\s+)?background:\s*(?<task>\S.*)`],
    // Nothing in a quotation ends it.
    ["question", String.raw`(?<text>(?:${QUOTED}|.)+?)(?=[,.]?\s+(?:and\s+)?then\b|[;\n]|$)`],
  ] as const
).map(([type, form]) => ({ type, form: new RegExp(`^${form}`, "i") }));
/** Between steps. */
const SEPARATOR =
  /^(?:[\s,;.!]|[-*•]\s|\(?\d+[.)]\s|(?:and|then|after that|afterwards|finally|next|first|now|please)\b)+/i;

/** Returns the instructions in a prompt, or undefined for an ordinary prompt. */
export function instructionsIn(prompt: string): Instructions | undefined {
  if (prompt.length > LONGEST_PROMPT) return undefined;
  const steps: Instruction[] = [];
  for (let rest = prompt.replace(SEPARATOR, ""); rest !== ""; rest = rest.replace(SEPARATOR, "")) {
    const found = FORMS.map(({ type, form }) => ({ type, match: form.exec(rest) }));
    const { type, match } = found.find((one) => one.match) ?? {};
    if (!type || !match) return undefined;
    const parts = Object.entries(match.groups ?? {}).map(([name, part = ""]) => {
      return [name, type === "question" ? part : unquote(name, part)];
    });
    steps.push({ type, parts: Object.fromEntries(parts) });
    rest = rest.slice(match[0].length);
  }
  const [first, ...others] = steps;
  return first && steps.some(({ type }) => type !== "question") ? [first, ...others] : undefined;
}

/** `\n`, `\t` and quoted quotes mean what they mean in code; backticks quote as it is, and commands keep backslashes. */
function unquote(name: string, part: string): string {
  if (!/^["'`“]/.test(part) || name === "task") return part;
  const inner = part.slice(1, -1);
  if (name === "command") return inner.replaceAll(`\\${part.slice(-1)}`, part.slice(-1));
  const signs: Readonly<Record<string, string>> = { n: "\n", t: "\t", "\\": "\\", '"': '"', "'": "'" };
  if (part.startsWith("`")) return inner;
  return inner.replace(/\\([\s\S])/g, (whole, sign: string) => signs[sign] ?? whole);
}

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

/** Gives a question to an agent. */
export function* delegate(task: string, tools: OfflineTools): OfflinePlan {
  const { ok, text } = yield* change(tools, "Agent", agentInput(task));
  if (!ok) return { ok, text: `This agent failed: ${text.trim()}` };
  // The runtime's own line comes before the report.
  const header = /^\[[^\n]*\bended: (\w+)\b[^\n]*\]\n/;
  const report = text.replace(header, "").trim() || "The agent ended without a report.";
  return { ok: (header.exec(text)?.[1] ?? "done") === "done", text: report };
}

/** The description is three to five words by which the user recognises the task in a list. */
export function agentInput(task: string) {
  const isShort = task.trim().split(/\s+/, 3).length < 3;
  const subagent_type = instructionsIn(task) === undefined ? "Explore" : "general-purpose";
  return { description: defaultTitle(isShort ? `Look up: ${task}` : task), prompt: task, subagent_type };
}
