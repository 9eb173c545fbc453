/** One thing to do, in the order in which it was asked for. */
export type Instruction =
  | {
      readonly type: "replace";
      readonly file: string;
      readonly from: string;
      readonly to: string;
      readonly all: boolean;
    }
  | { readonly type: "append"; readonly file: string; readonly text: string }
  | { readonly type: "create"; readonly file: string; readonly text: string }
  | { readonly type: "run"; readonly command: string }
  | { readonly type: "call"; readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly type: "background"; readonly task: string }
  | { readonly type: "parallel"; readonly tasks: readonly string[] }
  /** Something else: a question, or what was not understood. */
  | { readonly type: "question"; readonly text: string };

/** Longer prompts are pasted text: nothing in them is carried out. */
const LONGEST_PROMPT = 20_000;

/** A quotation, masked so that nothing in it can separate steps or be one. */
const QUOTED = String.raw`(\uE000\d+\uE000)`;
const FILE = String.raw`(?:the\s+file\s+)?(\uE000\d+\uE000|[^\s\uE000,;]+)`;
const BEGINS = String.raw`(?=call\s+\w+\s*\{|(?:run|execute|append|add|create|make|write|replace|change)\s+\S|in\s+(?:the\s+)?background:|in\s+(?:the\s+file\s+)?\S+,?\s+(?:replace|change)\b)`;
const THEN = String.raw`(?:and\s+)?(?:then|after that|afterwards|finally|next)\b[,:]?\s+`;
/** Between two steps, or tasks: an "and" or a comma only if an instruction follows. */
const BETWEEN = new RegExp(
  String.raw`\s*;\s*(?:${THEN}|and\s+)?|[.,]?\s+${THEN}|(?:[.,]\s+(?:and\s+)?|\s+and\s+)${BEGINS}`,
  "i",
);
const BETWEEN_TASKS = new RegExp(String.raw`\s*;\s*(?:and\s+)?|(?:,\s+(?:and\s+)?|\s+and\s+)${BEGINS}`, "i");
const BULLET = /^\s*(?:[-*•]|\(?\d+[.)])\s+/;
const DELEGATE = /\bin\s+(?:the\s+)?(background|parallel):\s*/i;

const REPLACE = String.raw`(?:replace|change)\s+((?:(?:all|every|each)\s+)?)${QUOTED}\s+(?:with|by|to)\s+${QUOTED}`;
const FORMS: readonly (readonly [form: string, read: (...parts: string[]) => Instruction])[] = [
  [
    String.raw`in\s+${FILE},?\s+${REPLACE}`,
    (file = "", all = "", from = "", to = "") => ({ type: "replace", file, from, to, all: all !== "" }),
  ],
  [
    String.raw`${REPLACE}\s+in\s+${FILE}`,
    (all = "", from = "", to = "", file = "") => ({ type: "replace", file, from, to, all: all !== "" }),
  ],
  [
    String.raw`(?:append|add)\s+(?:(?:the\s+)?line\s+)?${QUOTED}\s+to\s+(?:the\s+end\s+of\s+)?${FILE}`,
    (text = "", file = "") => ({ type: "append", file, text }),
  ],
  [
    String.raw`(?:create|make)\s+(?:an?\s+(?:new\s+)?file\s+)?${FILE}\s+(?:with|containing)\s+${QUOTED}`,
    (file = "", text = "") => ({ type: "create", file, text }),
  ],
  [String.raw`write\s+${QUOTED}\s+to\s+${FILE}`, (text = "", file = "") => ({ type: "create", file, text })],
];

/** Returns the instructions in a prompt, or undefined for an ordinary prompt. */
export function instructionsIn(prompt: string): Instruction[] | undefined {
  if (prompt.length > LONGEST_PROMPT) return undefined;
  const quotes: string[] = [];
  const masked = prompt.replace(
    /"(?:\\.|[^"\\])*"|`[^`]*`|“[^”]*”|(?<!\w)'(?:\\.|[^'\\]|'(?=\w))*'/gs,
    (quotation) => {
      return `\uE000${quotes.push(quotation) - 1}\uE000`;
    },
  );
  const restore = (part: string, read = (quotation: string) => quotation) =>
    part.replace(/\uE000(\d+)\uE000/g, (_, at: string) => read(quotes[Number(at)] ?? ""));
  const steps: Instruction[] = [];
  // The comma of "in FILE, replace" separates nothing.
  const lines = masked.replace(/(\bin\s+\S+),(?=\s+(?:replace|change)\b)/gi, "$1").split(/\r?\n/);
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [own = "", how = "", ...rest] = line.replace(BULLET, "").split(DELEGATE);
    for (const step of own.split(BETWEEN)) steps.push(...stepOf(step, restore));
    const task = rest.join("");
    if (how.toLowerCase() === "background" && task !== "")
      steps.push({ type: "background", task: restore(task) });
    if (how.toLowerCase() !== "parallel") continue;
    const bullets = lines.findIndex((one) => !BULLET.test(one));
    const listed =
      task === "" ? lines.splice(0, bullets < 0 ? lines.length : bullets) : task.split(BETWEEN_TASKS);
    const tasks = listed.map((one) => restore(one.replace(BULLET, "")).trim()).filter((one) => one !== "");
    if (tasks.length > 0) steps.push({ type: "parallel", tasks });
  }
  return steps.some(({ type }) => type !== "question") ? steps : undefined;
}

function stepOf(
  step: string,
  restore: (part: string, read?: (quotation: string) => string) => string,
): Instruction[] {
  const text = step
    .trim()
    .replace(/^(?:(?:please|first|now|then|finally|and)\b,?\s*)+/i, "")
    .replace(/(?:\s+and)?[.!,;\s]*$/i, "");
  if (text === "") return [];
  for (const [form, read] of FORMS) {
    const [whole, ...parts] = new RegExp(`^${form}$`, "i").exec(text) ?? [];
    if (whole !== undefined) return [read(...parts.map((part) => restore(part, quotedText)))];
  }
  const command = restore(
    new RegExp(`^(?:run|execute)\\s+${QUOTED}$`, "i").exec(text)?.[1] ?? "",
    quotedCommand,
  ).trim();
  if (command !== "") return [{ type: "run", command }];
  const [, tool, json = ""] = /^call\s+([\w-]+)\s*(\{.*\})$/i.exec(text) ?? [];
  try {
    if (tool !== undefined) return [{ type: "call", tool, input: JSON.parse(restore(json)) }];
  } catch {
    // Not JSON: then it is not understood.
  }
  return [{ type: "question", text: restore(step.trim()) }];
}

/** A command keeps its backslashes, except before the quote that closes it. */
function quotedCommand(quotation: string): string {
  const close = quotation.slice(-1);
  return quotation.slice(1, -1).replaceAll(`\\${close}`, close);
}

/** `\n`, `\t` and quoted quotes mean what they mean in code; backticks quote as it is. */
function quotedText(quotation: string): string {
  if (quotation.startsWith("`")) return quotation.slice(1, -1);
  const signs: Readonly<Record<string, string>> = { n: "\n", t: "\t", "\\": "\\", '"': '"', "'": "'" };
  return quotation.slice(1, -1).replace(/\\(.)/gs, (whole, sign: string) => signs[sign] ?? whole);
}
