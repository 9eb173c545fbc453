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
